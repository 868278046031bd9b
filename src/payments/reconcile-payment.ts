/** A person asks to look again: the lane's next pass comes at once. */
import type { Context } from '#context.ts'
import { lockVisible } from '#expenses/change-expense.ts'
import { asActor, asMember } from '#organizations/actor.ts'
import type { Member } from '#organizations/permissions.ts'
import { AppError } from '#platform/errors.ts'
import { movePayment } from './move-payment.ts'
import { isInFlight } from './payment.machine.ts'
import { type PaymentRecord, toPaymentRecord } from './payment.ts'
import { findPayment, lockPayment } from './payments.store.ts'
import { wakeLane } from './release-payment.ts'

export type ReconcilePayment = { actor: Member; paymentId: string; expectedVersion: number }

/** Only what may have paid has anything to reconcile. */
export async function reconcilePayment(
  ctx: Pick<Context, 'db' | 'clock' | 'ids'>,
  { actor, paymentId, expectedVersion }: ReconcilePayment,
): Promise<PaymentRecord> {
  const { organizationId } = actor
  return asMember(ctx, actor, async (tx) => {
    const found = await findPayment(tx, { organizationId, paymentId, onlyOf: null })
    if (!found) throw new AppError('not_found')
    await lockVisible(tx, { actor, expenseId: found.expenseId })
    const payment = await lockPayment(tx, { organizationId, paymentId })
    if (!payment) throw new AppError('not_found')
    if (payment.expenseRevision !== expectedVersion) throw new AppError('version_conflict')
    const { laneId, state, hasOpenAttempt, blockCode } = payment
    const mayHavePaid = hasOpenAttempt || blockCode === 'payment_already_executed'
    const isBlocked = state === 'blocked' && mayHavePaid
    if (laneId === null || !(isInFlight(state) || isBlocked)) throw new AppError('state_conflict')
    if (isBlocked) {
      await movePayment(ctx, tx, { payment, event: 'reconcile', actor: asActor(actor) })
    }
    await wakeLane(tx, { organizationId, laneId })
    const now = await findPayment(tx, { organizationId, paymentId, onlyOf: null })
    return toPaymentRecord(now ?? payment)
  })
}
