export function NewExpensePage() {
  return null
}
