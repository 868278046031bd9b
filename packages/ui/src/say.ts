/** Short confirmations. They wait here until the part that shows them has been fetched. */
type Said = { title: string; description?: string }

const waiting: Said[] = []
let show: ((said: Said) => void) | null = null

/** Confirms something that happened. Errors belong where they can be corrected, not here. */
export function say(title: string, description?: string): void {
  const said = { title, ...(description && { description }) }
  if (show) show(said)
  else waiting.push(said)
}

export function showWith(shown: (said: Said) => void): void {
  show = shown
  for (const said of waiting.splice(0)) shown(said)
}
