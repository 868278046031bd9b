/** Runs a member's command: a transaction in the organization's scope that locks the membership. */
import type { Sql } from 'sql-template-tag'
import type { Member } from '#access/permissions.ts'
import type { Context } from '#context.ts'
import type { Actor } from '#journal/actor.ts'
import { isLockTimeout, type Tx } from '#platform/database/database.ts'
import { AppError } from '#platform/errors.ts'
import { lockActor } from './members.store.ts'

export const scopeOf = ({ organizationId, accountId }: Member) => ({ organizationId, accountId })

export const asActor = ({ accountId, requestId }: Member): Actor => ({
  realm: 'consumer',
  accountId,
  requestId,
})

/**
 * A revocation that commits first makes the command fail; a later one waits for the command. The
 * lock request is pipelined with the first query, and no query result is returned before the lock
 * is held.
 */
export const asMember = <T>(
  ctx: Pick<Context, 'db'>,
  actor: Member,
  work: (tx: Tx) => Promise<T>,
): Promise<T> =>
  ctx.db.transaction(scopeOf(actor), async (tx) => {
    const locked = lockActor(tx, actor).catch(asOutage)
    // Prevents an unhandled rejection; every query below awaits `locked` and rethrows its error.
    locked.catch(() => {})
    const result = await work(withLock(locked, tx))
    await locked
    return result
  })

/**
 * Maps a lock time-out on the membership to 503, so that a caller that handles its own lock
 * time-outs does not mistake this one for its own.
 */
function asOutage(error: unknown): never {
  if (!isLockTimeout(error)) throw error
  throw new AppError('dependency_unavailable', { retryAfterSeconds: 1, cause: error })
}

function withLock(locked: Promise<void>, tx: Tx): Tx {
  return {
    ...tx,
    async query<Row extends object>(statement: Sql) {
      const [, rows] = await Promise.all([locked, tx.query<Row>(statement)])
      return rows
    },
  }
}
