export function VaultPage() {
  return null
}
