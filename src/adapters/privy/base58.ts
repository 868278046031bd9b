/** Base58 in Bitcoin's alphabet: how Solana writes addresses and keys. */
const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

export function base58(bytes: Uint8Array): string {
  const zeros = bytes.findIndex((byte) => byte !== 0)
  const leading = zeros === -1 ? bytes.length : zeros
  let rest = bytes.length === 0 ? 0n : BigInt(`0x${Buffer.from(bytes).toString('hex')}`)
  let digits = ''
  for (; rest > 0n; rest /= 58n) digits = ALPHABET[Number(rest % 58n)] + digits
  return '1'.repeat(leading) + digits
}

/** Undefined for what is not base58. */
export function fromBase58(text: string): Uint8Array | undefined {
  if (!/^[1-9A-HJ-NP-Za-km-z]*$/.test(text)) return undefined
  const leading = text.length - text.replace(/^1+/, '').length
  let value = 0n
  for (const character of text) value = value * 58n + BigInt(ALPHABET.indexOf(character))
  const hex = value === 0n ? '' : value.toString(16)
  const digits = Buffer.from(hex.length % 2 ? `0${hex}` : hex, 'hex')
  return new Uint8Array([...new Uint8Array(leading), ...digits])
}
