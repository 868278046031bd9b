export function RecipientsPage() {
  return null
}
