/** Solana's base58 by long division, and whether a key controls an address. */
import { createPrivateKey, createPublicKey, randomBytes, sign, verify } from 'node:crypto'

const DIGITS = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

export function toBase58(bytes: Uint8Array): string {
  const digits: number[] = []
  for (const byte of bytes) {
    let carry = byte
    for (let at = 0; at < digits.length; at += 1) {
      carry += (digits[at] ?? 0) * 256
      digits[at] = carry % 58
      carry = Math.floor(carry / 58)
    }
    for (; carry > 0; carry = Math.floor(carry / 58)) digits.push(carry % 58)
  }
  const zeros = [...bytes].findIndex((byte) => byte !== 0)
  const leading = '1'.repeat(zeros === -1 ? bytes.length : zeros)
  return (
    leading +
    digits
      .reverse()
      .map((digit) => DIGITS[digit])
      .join('')
  )
}

export function ofBase58(text: string): Buffer {
  const bytes: number[] = []
  for (const character of text) {
    let carry = DIGITS.indexOf(character)
    if (carry === -1) throw new Error(`${character} is not of base58`)
    for (let at = 0; at < bytes.length; at += 1) {
      carry += (bytes[at] ?? 0) * 58
      bytes[at] = carry & 0xff
      carry >>= 8
    }
    for (; carry > 0; carry >>= 8) bytes.push(carry & 0xff)
  }
  const leading = /^1*/.exec(text)?.[0].length ?? 0
  return Buffer.from([...new Array(leading).fill(0), ...bytes.reverse()])
}

const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex')
const SPKI = Buffer.from('302a300506032b6570032100', 'hex')

/** Signs with the key and verifies with the address alone. */
export function controlsSolanaAddress(key: string, address: string): boolean {
  const whole = ofBase58(key)
  const point = ofBase58(address)
  if (whole.length !== 64 || point.length !== 32) return false
  if (!whole.subarray(32).equals(point)) return false
  const seed = Buffer.concat([PKCS8, whole.subarray(0, 32)])
  const privateKey = createPrivateKey({ key: seed, format: 'der', type: 'pkcs8' })
  const spki = Buffer.concat([SPKI, point])
  const publicKey = createPublicKey({ key: spki, format: 'der', type: 'spki' })
  const message = randomBytes(40)
  return verify(null, message, publicKey, sign(null, message, privateKey))
}
