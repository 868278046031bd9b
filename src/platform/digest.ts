/** Digests for internal use. Those that are signed or logged on chain: `packages/proof`. */
import { createHash } from 'node:crypto'
import { canonicalJson } from '@countersign/proof/digest.ts'

export const sha256 = (data: string | Uint8Array): Buffer =>
  createHash('sha256').update(data).digest()

/** What an idempotent request asked for: equal for equal validated bodies, whatever their order. */
export const fingerprint = (body: unknown): Buffer => sha256(canonicalJson(body ?? null))

/** The shape of a random UUID (version 4), and always the same one for the same text. */
export function uuidOf(text: string): string {
  const bytes = sha256(text).subarray(0, 16)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  const hex = bytes.toString('hex')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
