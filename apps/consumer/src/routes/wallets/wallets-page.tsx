export function WalletsPage() {
  return null
}
