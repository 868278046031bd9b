/** Digests for internal use. `packages/proof` has those that are signed or logged on chain. */
import { createHash } from 'node:crypto'
import { canonicalJson } from '@countersign/proof/digest.ts'

export const sha256 = (data: string | Uint8Array): Buffer =>
  createHash('sha256').update(data).digest()

/** Fingerprint of an idempotent request's body, independent of the order of its fields. */
export const fingerprint = (body: unknown): Buffer => sha256(canonicalJson(body ?? null))

/** A deterministic UUID of the text, in the format of version 4. */
export function uuidOf(text: string): string {
  const bytes = sha256(text).subarray(0, 16)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  const hex = bytes.toString('hex')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
