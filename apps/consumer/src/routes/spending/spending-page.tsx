export function SpendingPage() {
  return null
}
