export function OrganizationSettingsPage() {
  return null
}
