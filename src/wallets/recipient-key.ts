/** The P-256 key that an exported key is sealed to, and the proof of who holds it. */
import { createPublicKey, type KeyObject, verify } from 'node:crypto'
import { canonicalJson } from '@countersign/proof/digest.ts'
import { sha256 } from '#platform/digest.ts'
import { AppError } from '#platform/errors.ts'

/** SubjectPublicKeyInfo of P-256 up to the point. */
const SPKI_PREFIX = Buffer.from('3059301306072a8648ce3d020106082a8648ce3d030107034200', 'hex')
const POINT_BYTES = 65
const UNCOMPRESSED = 4

export type RecipientKey = {
  /** Base64 of SPKI, whichever form it came in. */
  spki: string
  hash: Buffer
  key: KeyObject
}

const fromBase64 = (text: string): Buffer | undefined => {
  const bytes = Buffer.from(text, 'base64')
  return bytes.toString('base64') === text ? bytes : undefined
}

function pointIn(bytes: Buffer): Buffer | undefined {
  const isSpki = bytes.subarray(0, SPKI_PREFIX.length).equals(SPKI_PREFIX)
  const point = isSpki ? bytes.subarray(SPKI_PREFIX.length) : bytes
  return point.length === POINT_BYTES && point[0] === UNCOMPRESSED ? point : undefined
}

/** Base64 of SPKI or of the raw point; anything else, and a point off the curve, is refused. */
export function readRecipientKey(text: string): RecipientKey {
  const bytes = fromBase64(text)
  const point = bytes && pointIn(bytes)
  if (point) {
    try {
      const der = Buffer.concat([SPKI_PREFIX, point])
      const key = createPublicKey({ key: der, format: 'der', type: 'spki' })
      return { spki: der.toString('base64'), hash: sha256(point), key }
    } catch {}
  }
  throw new AppError('validation_failed', {
    message: '`recipientPublicKey` must be a P-256 key: base64 of SPKI or of its raw point.',
  })
}

/** ECDSA over the payload's canonical JSON, DER in base64. */
export function isSignedBy(
  { key }: RecipientKey,
  { payload, signature }: { payload: unknown; signature: string },
): boolean {
  const bytes = fromBase64(signature)
  return bytes !== undefined && verify('sha256', Buffer.from(canonicalJson(payload)), key, bytes)
}
