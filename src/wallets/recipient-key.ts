/** The P-256 public key that an exported key is sealed to, and the proof that its holder signed. */
import { createPublicKey, type KeyObject, verify } from 'node:crypto'
import { canonicalJson } from '@countersign/proof/digest.ts'
import { sha256 } from '#platform/digest.ts'
import { AppError } from '#platform/errors.ts'

/** DER prefix of a P-256 SubjectPublicKeyInfo, before the point. */
const SPKI_PREFIX = Buffer.from('3059301306072a8648ce3d020106082a8648ce3d030107034200', 'hex')
const POINT_BYTES = 65
const UNCOMPRESSED = 4

export type RecipientKey = {
  /** Base64 of the SPKI form, whichever form was given. */
  spki: string
  hash: Buffer
  key: KeyObject
}

const fromBase64 = (text: string): Buffer | undefined => {
  const bytes = Buffer.from(text, 'base64')
  return bytes.toString('base64') === text ? bytes : undefined
}

function parsePoint(bytes: Buffer): Buffer | undefined {
  const isSpki = bytes.subarray(0, SPKI_PREFIX.length).equals(SPKI_PREFIX)
  const point = isSpki ? bytes.subarray(SPKI_PREFIX.length) : bytes
  return point.length === POINT_BYTES && point[0] === UNCOMPRESSED ? point : undefined
}

/**
 * Accepts base64 of SPKI or of the raw point. Rejects everything else, and points off the curve.
 */
export function readRecipientKey(text: string): RecipientKey {
  const bytes = fromBase64(text)
  const point = bytes && parsePoint(bytes)
  if (point) {
    try {
      const der = Buffer.concat([SPKI_PREFIX, point])
      const key = createPublicKey({ key: der, format: 'der', type: 'spki' })
      return { spki: der.toString('base64'), hash: sha256(point), key }
    } catch {}
  }
  throw new AppError('validation_failed', {
    message: '`recipientPublicKey` must be a P-256 key in base64, as SPKI or as a raw point.',
  })
}

/** ECDSA over the payload's canonical JSON; the signature is DER in base64. */
export function isSignedBy(
  { key }: RecipientKey,
  { payload, signature }: { payload: unknown; signature: string },
): boolean {
  const bytes = fromBase64(signature)
  return bytes !== undefined && verify('sha256', Buffer.from(canonicalJson(payload)), key, bytes)
}
