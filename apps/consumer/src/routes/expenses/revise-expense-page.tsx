export function ReviseExpensePage() {
  return null
}
