export function SupportPage() {
  return null
}
