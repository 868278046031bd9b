/** Canonical JSON (RFC 8785) and the digests taken over it. */
import { createHash } from 'node:crypto'
import canonicalize from 'canonicalize'

export function canonicalJson(value: unknown): string {
  const json = canonicalize(value)
  if (json === undefined) throw new TypeError('This value has no JSON form')
  return json
}

export const sha256 = (data: string | Uint8Array): Buffer =>
  createHash('sha256').update(data).digest()

/** What an idempotent request asked for: equal for equal validated bodies, whatever their order. */
export const fingerprint = (body: unknown): Buffer => sha256(canonicalJson(body ?? null))
