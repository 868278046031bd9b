/** A member's command: the transaction in the organization's scope, with the member locked in. */
import type { Context } from '#context.ts'
import type { Actor } from '#journal/actor.ts'
import type { Tx } from '#platform/database.ts'
import { lockActor } from './members.store.ts'
import type { Member } from './permissions.ts'

export const scopeOf = ({ organizationId, accountId }: Member) => ({ organizationId, accountId })

export const asActor = ({ accountId, requestId }: Member): Actor => ({
  realm: 'consumer',
  accountId,
  requestId,
})

/** A revocation that commits first refuses the command; one that comes later waits for it. */
export const asMember = <T>(
  ctx: Pick<Context, 'db'>,
  actor: Member,
  work: (tx: Tx) => Promise<T>,
): Promise<T> =>
  ctx.db.transaction(scopeOf(actor), async (tx) => {
    await lockActor(tx, actor)
    return work(tx)
  })
