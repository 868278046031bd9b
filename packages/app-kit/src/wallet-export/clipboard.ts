/** Puts a secret on the clipboard for a short time. */
export const CLEARED_AFTER_MS = 30_000

/** A page can write to the clipboard only while it is in front, so clearing may wait for that. */
function clear(): void {
  navigator.clipboard.writeText('').catch(() => {
    addEventListener('focus', clear, { once: true })
  })
}

/** Not tied to a component: the clipboard is cleared even if the person has moved on in the page. */
export async function copyForAWhile(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
  } catch {
    return false
  }
  setTimeout(clear, CLEARED_AFTER_MS)
  return true
}
