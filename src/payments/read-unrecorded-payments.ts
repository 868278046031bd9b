/** Lists unrecorded payments, for owners and managers. */
import type { Member } from '#access/permissions.ts'
import type { Context } from '#context.ts'
import { scopeOf } from '#organizations/actor.ts'
import { type Page, type Paged, toPaged } from '#platform/paging.ts'
import type { UnrecordedState } from './unrecorded-payment.machine.ts'
import { toUnrecordedPayment, type UnrecordedPaymentRecord } from './unrecorded-payment.ts'
import { listUnrecorded } from './unrecorded-payments.store.ts'

const EVERY_STATE: readonly UnrecordedState[] = ['open', 'acknowledged', 'recorded', 'withdrawn']

export async function readUnrecordedPayments(
  ctx: Pick<Context, 'db'>,
  { member, state, page }: { member: Member; state: UnrecordedState | undefined; page: Page },
): Promise<Paged<UnrecordedPaymentRecord>> {
  const { organizationId } = member
  const states = state === undefined ? EVERY_STATE : [state]
  const rows = await ctx.db.transaction(scopeOf(member), (tx) =>
    listUnrecorded(tx, { organizationId, states, page }),
  )
  const { items, nextCursor } = toPaged(rows, { limit: page.limit, idOf: ({ id }) => id })
  return { items: items.map(toUnrecordedPayment), nextCursor }
}
