/** The key pair by which push services know this deployment (RFC 8292): P-256, in base64url. */
import { createECDH } from 'node:crypto'

const CURVE = 'prime256v1'
const PRIVATE_KEY_BYTES = 32

export type Vapid = { publicKey: string; privateKey: string; subject: string }

/** Undefined for what is no private key of the curve. */
export function vapidPublicKey(privateKey: string): string | undefined {
  if (!/^[A-Za-z0-9_-]{43}$/.test(privateKey)) return undefined
  try {
    const pair = createECDH(CURVE)
    pair.setPrivateKey(Buffer.from(privateKey, 'base64url'))
    return pair.getPublicKey().toString('base64url')
  } catch {
    return undefined
  }
}

export function makeVapidPrivateKey(): string {
  const pair = createECDH(CURVE)
  pair.generateKeys()
  const key = pair.getPrivateKey()
  // Node leaves leading zeros out.
  return Buffer.concat([Buffer.alloc(PRIVATE_KEY_BYTES - key.length), key]).toString('base64url')
}

/** Whom a push service writes to when something is wrong with our messages. */
export const isVapidSubject = (subject: string): boolean =>
  subject.length <= 200 &&
  (/^mailto:[\x21-\x7e]+@[\x21-\x7e]+$/.test(subject) ||
    (/^https:[\x21-\x7e]+$/.test(subject) && URL.canParse(subject)))
