/** Shortens recorded values so that an example shows the shape and stays readable. */
const ITEMS = 2
const LINES: Record<string, number> = { 'text/csv': 3, 'application/x-ndjson': 2 }
/** Bytecode and long calldata. Signatures and hashes stay whole. */
const LONG_HEX = /0x[0-9a-fA-F]{400,}/g
const HEX_KEPT = 66
/** Tokens of the story's identity provider: the header and the claims say nothing here. */
const JWT = /^eyJ[\w-]+[.][\w-]+[.][\w-]+$/
const SAMPLE_JWT = 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhbmEtcnVpeiJ9.c2lnbmF0dXJl'
/** A list of all fields of an EIP-712 type: without some of them, nobody could sign it. */
const WHOLE = ['types']

const shortenedString = (text: string): string =>
  JWT.test(text) ? SAMPLE_JWT : text.replace(LONG_HEX, (hex) => hex.slice(0, HEX_KEPT))

/** Lists keep their first two items. */
export function shortened(value: unknown): unknown {
  if (typeof value === 'string') return shortenedString(value)
  if (Array.isArray(value)) return value.slice(0, ITEMS).map(shortened)
  if (typeof value !== 'object' || value === null) return value
  const parts = Object.entries(value).map(([key, part]) => [
    key,
    WHOLE.includes(key) ? part : shortened(part),
  ])
  return Object.fromEntries(parts)
}

/** The first lines of a file, or the first two events of a stream. */
export function shortenedText(type: string, text: string): string {
  if (type === 'text/event-stream') {
    const events = text.split('\n\n').filter((event) => event.includes('data:'))
    return events
      .slice(0, ITEMS)
      .map((event) => `${event}\n\n`)
      .join('')
  }
  const lines = text.split(/(?<=\n)/)
  return shortenedString(lines.slice(0, LINES[type] ?? ITEMS).join(''))
}
