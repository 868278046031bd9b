/**
 * The token of an unsubscribe link. Whoever has it may switch off e-mails of one category for one
 * account and nothing else, so the link needs no sign-in (RFC 8058). Pure.
 *
 * base64url of: version (1 byte), expiry in seconds (6), account id (16), category, HMAC (32).
 */
import { timingSafeEqual } from 'node:crypto'
import { secondsToTimestamp, timestampToSeconds } from '@countersign/proof/values.ts'
import { keyedHash } from '#platform/secrets.ts'
import type { Category } from '#push/notification.ts'
import { isCategory } from '#push/preferences.ts'

const VERSION = 1
const EXPIRY_AT = 1
const ACCOUNT_AT = 7
const CATEGORY_AT = 23
const MAC_BYTES = 32

/** People find old e-mails, and must still be able to unsubscribe. */
const LIFETIME_SECONDS = 180 * 24 * 3_600

export type Unsubscription = { accountId: string; category: Category }

const macOf = (key: Uint8Array, content: Uint8Array): Buffer => keyedHash(key, [content])

const uuidOf = (bytes: Buffer): string =>
  bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')

export function createUnsubscribeToken(
  key: Uint8Array,
  { accountId, category, at }: Unsubscription & { at: Date },
): string {
  const head = Buffer.alloc(CATEGORY_AT)
  head.writeUInt8(VERSION, 0)
  const expiresAt = Math.floor(timestampToSeconds(at.toISOString())) + LIFETIME_SECONDS
  head.writeUIntBE(expiresAt, EXPIRY_AT, 6)
  head.write(accountId.replaceAll('-', ''), ACCOUNT_AT, 'hex')
  const content = Buffer.concat([head, Buffer.from(category)])
  return Buffer.concat([content, macOf(key, content)]).toString('base64url')
}

/** Undefined when the token is forged or has expired. */
export function readUnsubscribeToken(
  key: Uint8Array,
  { token, at }: { token: string; at: Date },
): Unsubscription | undefined {
  const bytes = Buffer.from(token, 'base64url')
  // Other spellings of the same bytes are not accepted.
  if (bytes.length <= CATEGORY_AT + MAC_BYTES || bytes.toString('base64url') !== token) {
    return undefined
  }
  const content = bytes.subarray(0, -MAC_BYTES)
  if (!timingSafeEqual(bytes.subarray(-MAC_BYTES), macOf(key, content))) return undefined
  if (content.readUInt8(0) !== VERSION) return undefined
  const expiresAt = secondsToTimestamp(content.readUIntBE(EXPIRY_AT, 6))
  if (expiresAt <= at.toISOString()) return undefined
  const category = content.toString('utf8', CATEGORY_AT)
  const accountId = uuidOf(content.subarray(ACCOUNT_AT, CATEGORY_AT))
  return isCategory(category) ? { accountId, category } : undefined
}
