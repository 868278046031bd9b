export function PolicyPage() {
  return null
}
