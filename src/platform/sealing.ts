/** AES-256-GCM of short values. Used where a database or a cookie holds something secret. */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

const NONCE_BYTES = 12
const TAG_BYTES = 16

/** `name` is authenticated data: a value sealed for one purpose does not open for another. */
export function sealJson(
  key: Uint8Array,
  { name, value }: { name: string; value: unknown },
): Buffer {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(name))
  const sealed = [cipher.update(JSON.stringify(value)), cipher.final()]
  return Buffer.concat([nonce, ...sealed, cipher.getAuthTag()])
}

/** Throws if it was sealed with another key or name. */
export function openJson(
  key: Uint8Array,
  { name, box }: { name: string; box: Uint8Array },
): unknown {
  const bytes = Buffer.from(box)
  const nonce = bytes.subarray(0, NONCE_BYTES)
  const decipher = createDecipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(name))
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES))
  const plain = [decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]
  return JSON.parse(Buffer.concat(plain).toString())
}
