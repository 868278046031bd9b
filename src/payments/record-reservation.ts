/** Records the first audit event of a payment, which has no previous state. */
import type { Context } from '#context.ts'
import type { Actor } from '#journal/actor.ts'
import { recordChange } from '#journal/journal.ts'
import type { Tx } from '#platform/database/database.ts'
import { paymentActions } from './payments.actions.ts'
import type { PaymentRow, Reservation } from './payments.store.ts'

/** The audit data of a reservation, first or repeated. */
export const reservationData = (payment: Omit<Reservation, 'at' | 'seal'>) => ({
  expenseId: payment.expenseId,
  revision: payment.expenseRevision,
  mode: payment.mode,
  amountBaseUnits: payment.amount.toString(),
  policyVersion: payment.policyVersion,
  chainPaymentId: payment.chainPaymentId,
  approvalDigest: payment.approvalDigest,
  requiredApprovals: payment.requiredApprovals,
})

export const recordReservation = (
  ctx: Pick<Context, 'clock' | 'ids'>,
  tx: Tx,
  { payment, actor }: { payment: PaymentRow; actor: Actor },
): Promise<void> =>
  recordChange(ctx, tx, {
    organizationId: payment.organizationId,
    actor,
    action: paymentActions.reserve,
    aggregateType: 'payment',
    aggregateId: payment.id,
    data: { to: 'reserved', ...reservationData(payment) },
    live: {
      kind: 'payment.changed',
      aggregateType: 'payment',
      targetState: 'reserved',
      severity: 'healthy',
      code: null,
    },
  })
