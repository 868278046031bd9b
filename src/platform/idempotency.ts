/**
 * `once` writes an effect, its Idempotency-Key and its answer in one transaction, so that none of
 * them exists without the others. Only successful answers are stored: an error rolls the key back
 * with everything else.
 */
import sql from 'sql-template-tag'
import { isLockTimeout, type Tx } from '#platform/database/database.ts'
import { addSeconds } from './clock.ts'
import { fingerprint } from './digest.ts'
import { AppError } from './errors.ts'

const REMEMBERED_SECONDS = 30 * 24 * 60 * 60

/** `operation` is method, route and path parameters. */
export type IdempotentRequest = {
  accountId: string
  operation: string
  key: string
  body: unknown
}

export type Answer<Body> = { body: Body; replayed: boolean }

type Remembered<Body> = { fingerprint: Buffer; body: Body }

export type Effect<Body, Found> = {
  at: Date
  /** Reads what `work` needs, in the same round trip as the claim of the key. */
  find?: () => Promise<Found>
  work(found: Found): Promise<Body>
}

export async function once<Body extends object, Found = undefined>(
  tx: Tx,
  { accountId, operation, key, body }: IdempotentRequest,
  { at, find, work }: Effect<Body, Found>,
): Promise<Answer<Body>> {
  const print = fingerprint(body)
  const expiresAt = addSeconds(at, REMEMBERED_SECONDS)
  // A second request with the key waits here until the first has committed or rolled back.
  const claiming = tx
    .query(sql`
      insert into idempotency_keys (account_id, operation, key, fingerprint, created_at, expires_at)
      values (${accountId}, ${operation}, ${key}, ${print}, ${at}, ${expiresAt})
      on conflict do nothing returning 1 as claimed`)
    .catch((error) => {
      if (!isLockTimeout(error)) throw error
      throw new AppError('idempotency_in_progress', { retryAfterSeconds: 1 })
    })
  const finding = find?.()
  // For a repeated request the result is not needed, so its failure must not be unhandled.
  finding?.catch(() => {})
  const claimed = await claiming
  if (claimed.length === 0) return replay<Body>(tx, { accountId, operation, key, print })

  const answer = await work((await finding) as Found)
  tx.write(sql`
    update idempotency_keys set answer = ${JSON.stringify(answer)}::json
    where account_id = ${accountId} and operation = ${operation} and key = ${key}`)
  return { body: answer, replayed: false }
}

/**
 * Whether `once` would replay an answer. For checks that must come before its transaction, and that
 * a replay does not depend on.
 */
export async function findIsRepeated(
  tx: Tx,
  { accountId, operation, key }: IdempotentRequest,
): Promise<boolean> {
  const rows = await tx.query(sql`
    select 1 as found from idempotency_keys
    where account_id = ${accountId} and operation = ${operation} and key = ${key}`)
  return rows.length > 0
}

async function replay<Body>(
  tx: Tx,
  {
    accountId,
    operation,
    key,
    print,
  }: {
    accountId: string
    operation: string
    key: string
    print: Buffer
  },
): Promise<Answer<Body>> {
  const [first] = await tx.query<Remembered<Body>>(sql`
    select fingerprint, answer as body from idempotency_keys
    where account_id = ${accountId} and operation = ${operation} and key = ${key}`)
  if (!first) throw new AppError('idempotency_in_progress', { retryAfterSeconds: 1 })
  if (!first.fingerprint.equals(print)) throw new AppError('idempotency_key_reused')
  return { body: first.body, replayed: true }
}
