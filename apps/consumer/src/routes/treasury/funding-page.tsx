export function FundingPage() {
  return null
}
