/** The keys of a browser's push subscription. Pure. */
import { ECDH } from 'node:crypto'

const POINT_BYTES = 65
const AUTH_BYTES = 16
const UNCOMPRESSED = 4

export type SubscriptionKeys = { p256dh: Buffer; auth: Buffer }

const bytesOf = (text: string, length: number): Buffer | undefined => {
  if (!/^[A-Za-z0-9_-]+={0,2}$/.test(text)) return undefined
  const bytes = Buffer.from(text, 'base64url')
  return bytes.length === length ? bytes : undefined
}

/** A point off the curve would leak the shared secret. */
function isOnCurve(point: Buffer): boolean {
  try {
    ECDH.convertKey(point, 'prime256v1')
    return true
  } catch {
    return false
  }
}

/** Returns the keys, or the name of the invalid field. */
export function readKeys({
  p256dh,
  auth,
}: {
  p256dh: string
  auth: string
}): SubscriptionKeys | 'p256dh' | 'auth' {
  const point = bytesOf(p256dh, POINT_BYTES)
  if (point?.[0] !== UNCOMPRESSED || !isOnCurve(point)) return 'p256dh'
  const secret = bytesOf(auth, AUTH_BYTES)
  return secret ? { p256dh: point, auth: secret } : 'auth'
}
