/** `POST …/reconcile`: a worker checks again whether a payment was executed. */
import type { Member } from '#access/permissions.ts'
import type { Context } from '#context.ts'
import { lockVisibleExpense } from '#expenses/change-expense.ts'
import { asActor, asMember } from '#organizations/actor.ts'
import type { Tx } from '#platform/database/database.ts'
import { AppError } from '#platform/errors.ts'
import { movePayment } from './move-payment.ts'
import { isReconcilable, type PaymentRecord } from './payment.ts'
import { findPayment, lockPayment, type PaymentRow } from './payments.store.ts'
import { wakeLane } from './release-payment.ts'
import { afterRequest, requestOfPayment } from './request-payment.ts'

export type ReconcilePayment = { actor: Member; paymentId: string; expectedVersion: number }

export async function reconcilePayment(
  ctx: Pick<Context, 'db' | 'ids' | 'config' | 'outcomes'>,
  input: ReconcilePayment,
): Promise<PaymentRecord> {
  const { actor, paymentId } = input
  const paymentRequestId = await asMember(ctx, actor, async (tx) => {
    const payment = await lockReconcilable(tx, input)
    return requestOfPayment(ctx, tx, { ...input, payment, step: 'reconcile' })
  })
  return afterRequest(ctx, { actor, paymentRequestId, paymentId })
}

/** Only a payment that may have been executed can be reconciled. */
async function lockReconcilable(
  tx: Tx,
  { actor, paymentId, expectedVersion }: ReconcilePayment,
): Promise<PaymentRow & { laneId: string }> {
  const { organizationId } = actor
  const found = await findPayment(tx, { organizationId, paymentId, onlyOf: null })
  if (!found) throw new AppError('not_found')
  await lockVisibleExpense(tx, { actor, expenseId: found.expenseId })
  const payment = await lockPayment(tx, { organizationId, paymentId })
  if (!payment) throw new AppError('not_found')
  if (payment.expenseRevision !== expectedVersion) throw new AppError('version_conflict')
  const { laneId } = payment
  if (laneId === null || !isReconcilable(payment)) {
    throw new AppError('state_conflict')
  }
  return { ...payment, laneId }
}

/** A worker carries out the request and records the outcome in one transaction. */
export async function reconcileAsAsked(
  ctx: Pick<Context, 'clock' | 'ids'>,
  tx: Tx,
  input: ReconcilePayment,
): Promise<void> {
  const payment = await lockReconcilable(tx, input)
  const { organizationId, laneId } = payment
  if (payment.state === 'blocked') {
    await movePayment(ctx, tx, { payment, event: 'reconcile', actor: asActor(input.actor) })
  }
  wakeLane(tx, { organizationId, laneId })
}
