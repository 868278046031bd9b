export function ExpensePage() {
  return null
}
