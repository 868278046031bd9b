const TOKEN = /^[A-Za-z0-9_-]{20,200}$/

/** From a whole link or the bare token. Null if it is neither. */
export function tokenOfInvitation(pasted: string): string | null {
  const last = pasted.trim().split('/').at(-1) ?? ''
  return TOKEN.test(last) ? last : null
}
