/** `POST …/payments`: releases what is authorised, for the first time or again. */
import type { Context } from '#context.ts'
import { lockVisible } from '#expenses/change-expense.ts'
import { requireVersion } from '#expenses/expense.ts'
import { type ExpenseRow, findRevision } from '#expenses/expenses.store.ts'
import { moveExpense } from '#expenses/move-expense.ts'
import { asActor, asMember } from '#organizations/actor.ts'
import type { Member } from '#organizations/permissions.ts'
import { addSeconds } from '#platform/clock.ts'
import type { Tx } from '#platform/database.ts'
import { AppError } from '#platform/errors.ts'
import { findPolicy } from '#treasury/policies.store.ts'
import { findVault } from '#treasury/vaults.store.ts'
import { findAuthority } from './authority.store.ts'
import { movePayment } from './move-payment.ts'
import { type Authorization, mayBeGivenUp, type PaymentRecord, toPaymentRecord } from './payment.ts'
import { lockPayment, markGivenUp, type PaymentRow } from './payments.store.ts'
import { releasePayment, wakeLane } from './release-payment.ts'
import { reservePayment } from './reserve-payment.ts'

type QueueContext = Pick<Context, 'db' | 'clock' | 'ids' | 'config'>

export type QueuePayment = { actor: Member; expenseId: string; expectedVersion: number }

export async function queuePayment(
  ctx: QueueContext,
  { actor, expenseId, expectedVersion }: QueuePayment,
): Promise<PaymentRecord> {
  const { organizationId } = actor
  return asMember(ctx, actor, async (tx) => {
    const expense = await lockVisible(tx, { actor, expenseId })
    requireVersion(expense, expectedVersion)
    const { paymentId } = expense
    const payment = await lockPayment(tx, { organizationId, paymentId })
    if (!payment || payment.expenseRevision !== expense.currentRevision) {
      throw new AppError('state_conflict', { message: 'Nothing authorises its payment yet.' })
    }
    if (payment.state === 'reserved') {
      const released = await releasePayment(ctx, tx, { payment, actor: asActor(actor) })
      return toPaymentRecord(released)
    }
    if (mayBeGivenUp(payment)) {
      return toPaymentRecord(await giveUp(ctx, tx, { actor, payment }))
    }
    const isOver = payment.state === 'blocked' || payment.state === 'failed'
    // Queued or further, or something signed may still be mined: it is what it is.
    if (!isOver || payment.hasOpenAttempt) return toPaymentRecord(payment)
    return toPaymentRecord(await releaseAgain(ctx, tx, { actor, expense, payment }))
  })
}

/** To release it again is a person's word that they know; the next look calls it failed. */
async function giveUp(
  ctx: QueueContext,
  tx: Tx,
  { actor, payment }: { actor: Member; payment: PaymentRow },
): Promise<PaymentRow> {
  const { organizationId, id: paymentId, laneId } = payment
  await markGivenUp(tx, { organizationId, paymentId })
  const data = { given_up: true }
  await movePayment(ctx, tx, { payment, event: 'reconcile', actor: asActor(actor), data })
  if (laneId) await wakeLane(tx, { organizationId, laneId })
  return { ...payment, state: 'reconciling', blockCode: null }
}

/** Everything is checked and set aside anew; what was signed must still hold. */
async function releaseAgain(
  ctx: QueueContext,
  tx: Tx,
  { actor, expense, payment }: { actor: Member; expense: ExpenseRow; payment: PaymentRow },
): Promise<PaymentRow> {
  const { organizationId, id: expenseId, currentRevision } = expense
  const revision = await findRevision(tx, { organizationId, expenseId, revision: currentRevision })
  if (expense.state !== 'blocked' || !revision) throw new AppError('state_conflict')
  const authorization = await authorizationOf(ctx, tx, payment)
  const reserved = await reservePayment(ctx, tx, {
    expense,
    revision,
    report: { id: payment.reportId, reportHash: payment.reportHash },
    authorization,
    actor: asActor(actor),
  })
  const event = authorization.kind === 'approved' ? 'release_approved' : 'release_automatic'
  await moveExpense(ctx, tx, { expense, event, actor: asActor(actor) })
  return releasePayment(ctx, tx, { payment: reserved, actor: asActor(actor) })
}

async function authorizationOf(
  ctx: QueueContext,
  tx: Tx,
  payment: PaymentRow,
): Promise<Authorization> {
  const { organizationId, vaultId } = payment
  const vault = await findVault(tx, { organizationId, vaultId })
  const version = vault?.policyVersion ?? 0
  const policy = await findPolicy(tx, { organizationId, vaultId, version })
  if (!policy) throw new AppError('policy_missing')
  const now = ctx.clock.now()
  if (payment.mode === 'automatic') return automaticUntil(now, policy.expiresAt)
  const { approvalId, approvalDigest, approverAddress, signature, deadline } = payment
  if (!approvalId || !approvalDigest || !approverAddress || !signature) {
    throw new AppError('state_conflict')
  }
  if (deadline <= now.toISOString()) throw new AppError('approval_expired')
  const authority = await findAuthority(tx, { organizationId, paymentId: payment.id })
  if (authority?.approvalState !== 'signed' || authority.isRoleActive !== true) {
    throw new AppError('state_conflict', {
      message: 'Its approval no longer holds. It must be signed anew.',
    })
  }
  if (payment.policyVersion !== version) {
    throw new AppError('policy_violation', {
      message: 'The policy has changed since it was signed. It must be signed anew.',
    })
  }
  const digest = approvalDigest
  return { kind: 'approved', approvalId, digest, approverAddress, signature, deadline }
}

const AUTOMATIC_SECONDS = 24 * 60 * 60

/** The earlier of a day from now and the policy's end. */
export function automaticUntil(now: Date, policyExpiresAt: string): Authorization {
  const inADay = addSeconds(now, AUTOMATIC_SECONDS).toISOString()
  return { kind: 'automatic', deadline: inADay < policyExpiresAt ? inADay : policyExpiresAt }
}
