/**
 * Detects encoded text in a purpose. Candidates are decoded, and only those that decode to readable
 * text count, so that long words and invoice numbers pass.
 */

const TEXT_BYTES_MIN = 9
const READABLE = /^[\n\r\t\x20-\x7e\p{L}\p{M}\p{N}\p{P}\p{S}]+$/u

function isText(bytes: Uint8Array): boolean {
  if (bytes.length < TEXT_BYTES_MIN) return false
  const text = Buffer.from(bytes).toString('utf8')
  // Invalid UTF-8 decodes to U+FFFD, which READABLE would accept as a symbol.
  return !text.includes('\ufffd') && READABLE.test(text) && /\p{L}{2}/u.test(text)
}

/** The run may start with unrelated characters, so all four alignments are tried. */
const isBase64 = (run: string): boolean =>
  [0, 1, 2, 3].some((start) => isText(Buffer.from(run.slice(start), 'base64')))

const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567'

function isBase32(run: string): boolean {
  const bits = [...run.toLowerCase()].map((sign) =>
    BASE32.indexOf(sign).toString(2).padStart(5, '0'),
  )
  return isText(bytesOfBits(bits.join('')))
}

const bytesOfBits = (bits: string): Uint8Array =>
  Uint8Array.from(bits.match(/[01]{8}/g) ?? [], (byte) => Number.parseInt(byte, 2))

const isHex = (run: string): boolean => isText(Buffer.from(run.replace(/[^0-9a-f]/gi, ''), 'hex'))

const isBinary = (run: string): boolean => isText(bytesOfBits(run.replace(/[^01]/g, '')))

const always = () => true

const encodings: readonly { pattern: RegExp; isEncoded: (run: string) => boolean }[] = [
  { pattern: /[A-Za-z0-9+/_-]{16,2000}/g, isEncoded: isBase64 },
  { pattern: /[A-Z2-7]{24,2000}/g, isEncoded: isBase32 },
  { pattern: /(?:[0-9a-f]{2}[ :,]?){10,}/gi, isEncoded: isHex },
  { pattern: /(?:[01]{8} ?){9,}/g, isEncoded: isBinary },
  { pattern: /(?:%[0-9a-f]{2}){4,}/gi, isEncoded: always },
  { pattern: /(?:\\u\{?[0-9a-f]{2,6}\}?|\\x[0-9a-f]{2}){3,}/gi, isEncoded: always },
  { pattern: /(?:&#x?[0-9a-f]{1,6};){3,}/gi, isEncoded: always },
]

/** The number of substrings that decode to readable text. */
export const encodedBlobs = (text: string): number =>
  encodings.reduce(
    (sum, { pattern, isEncoded }) => sum + (text.match(pattern) ?? []).filter(isEncoded).length,
    0,
  )
