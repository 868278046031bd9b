export function NotificationPage() {
  return null
}
