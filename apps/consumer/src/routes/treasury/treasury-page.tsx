export function TreasuryPage() {
  return null
}
