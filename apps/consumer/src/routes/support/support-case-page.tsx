export function SupportCasePage() {
  return null
}
