/**
 * How the engine writes into the books: one short transaction that begins by locking the lane under
 * its fence. Whoever claimed the lane later has another fence, and what a stale worker writes
 * changes no row. Locks are taken in one order: lane, expense, payment.
 */
import type { Context } from '#context.ts'
import { SYSTEM } from '#journal/actor.ts'
import type { Tx } from '#platform/database.ts'
import {
  type LanePaymentRow,
  type LaneRow,
  lockExpenseOf,
  lockLane,
  lockLanePayment,
} from './lane.store.ts'
import type { Fence, LanePayment, Written } from './lane.ts'
import { movePayment } from './move-payment.ts'
import type { PaymentEvent } from './payment.machine.ts'

export type BooksContext = Pick<Context, 'db' | 'clock' | 'ids' | 'chain' | 'reactions'>

export type Books = { ctx: BooksContext; organizationId: string }
export type Locked = { tx: Tx; lane: LaneRow; payment: LanePaymentRow }

/** The payment as it was loaded, or `stale`: it has moved on, or begun another life. */
export async function write<T>(
  { ctx, organizationId }: Books,
  { fence, payment }: { fence: Fence; payment: LanePayment },
  work: (locked: Locked) => Promise<T>,
): Promise<T | 'stale'> {
  return ctx.db.transaction({ organizationId }, async (tx) => {
    const lane = await lockLane(tx, { organizationId, fence })
    if (!lane) return 'stale'
    await lockExpenseOf(tx, { organizationId, paymentId: payment.id })
    const locked = await lockLanePayment(tx, { organizationId, paymentId: payment.id })
    const isSame = locked?.epoch === payment.epoch && locked.state === payment.state
    if (!locked || !isSame) return 'stale'
    return work({ tx, lane, payment: locked })
  })
}

export async function move(
  { ctx }: Books,
  { tx, payment }: Locked,
  event: PaymentEvent,
  { code, data }: { code?: string; data?: Record<string, unknown> } = {},
): Promise<Written> {
  const moved = await movePayment(ctx, tx, {
    payment,
    event,
    actor: SYSTEM,
    ...(code !== undefined && { code }),
    ...(data && { data }),
  })
  return moved ? 'done' : 'stale'
}
