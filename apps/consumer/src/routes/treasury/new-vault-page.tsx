export function NewVaultPage() {
  return null
}
