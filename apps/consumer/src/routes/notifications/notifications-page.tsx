export function NotificationsPage() {
  return null
}
