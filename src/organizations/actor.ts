/** A member's command: the transaction in the organization's scope, with the member locked in. */
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
 * A revocation that commits first refuses the command; one that comes later waits for it. The lock
 * travels with the first question, and no question is answered before it is held.
 */
export const asMember = <T>(
  ctx: Pick<Context, 'db'>,
  actor: Member,
  work: (tx: Tx) => Promise<T>,
): Promise<T> =>
  ctx.db.transaction(scopeOf(actor), async (tx) => {
    const locked = lockActor(tx, actor).catch(asOutage)
    // Whoever waits for it hears of it.
    locked.catch(() => {})
    const result = await work(behind(locked, tx))
    await locked
    return result
  })

/** So that who asked beside it does not take a lock that was not free for one of their own. */
function asOutage(error: unknown): never {
  if (!isLockTimeout(error)) throw error
  throw new AppError('dependency_unavailable', { retryAfterSeconds: 1, cause: error })
}

function behind(locked: Promise<void>, tx: Tx): Tx {
  return {
    ...tx,
    async query<Row extends object>(statement: Sql) {
      const [, rows] = await Promise.all([locked, tx.query<Row>(statement)])
      return rows
    },
  }
}
