/** Blocks unsent payments that may no longer be sent, and frees their reservations. */
import type { Context } from '#context.ts'
import { findRevision, lockExpense } from '#expenses/expenses.store.ts'
import { type Actor, SYSTEM } from '#journal/actor.ts'
import type { BlockCode } from '#platform/block-codes.ts'
import type { Tx } from '#platform/database/database.ts'
import type { JobPayloads } from '#platform/jobs/jobs.ts'
import { type Spending, spendingRefusal } from '#treasury/spending.ts'
import { findIsPastDeadline } from './executions.store.ts'
import { movePayment } from './move-payment.ts'
import { automaticUntil } from './payment.ts'
import {
  findPayment,
  listUnsentPayments,
  lockPayment,
  type PaymentKey,
  type PaymentRow,
  updatePaymentLane,
  updatePaymentPolicy,
} from './payments.store.ts'
import { enqueueDeadline, findPayingExecutor, wakeLane } from './release-payment.ts'
import { lockSpending, sealed } from './reserve-payment.ts'
import { isStillSealed, reportForgery } from './review-release.ts'

type BlockContext = Pick<Context, 'clock' | 'ids'>
type RecheckContext = Pick<Context, 'clock' | 'ids' | 'secrets' | 'log'>

/** Locks the expense first, then the payment, as every caller that needs both must. */
async function lockUnsent(
  tx: Tx,
  { organizationId, paymentId, expenseId }: PaymentKey & { expenseId: string },
): Promise<PaymentRow | undefined> {
  await lockExpense(tx, { organizationId, expenseId })
  const payment = await lockPayment(tx, { organizationId, paymentId })
  return payment?.state === 'reserved' || payment?.state === 'queued' ? payment : undefined
}

/** True when the payment was unsent and is now blocked. */
export async function blockUnsentPayment(
  ctx: BlockContext,
  tx: Tx,
  { code, actor, ...key }: PaymentKey & { expenseId: string; code: BlockCode; actor: Actor },
): Promise<boolean> {
  const payment = await lockUnsent(tx, key)
  if (!payment) return false
  return movePayment(ctx, tx, { payment, event: 'block', actor, code })
}

export async function blockPaymentsTo(
  ctx: BlockContext,
  tx: Tx,
  {
    organizationId,
    recipientId,
    actor,
  }: {
    organizationId: string
    recipientId: string
    actor: Actor
  },
): Promise<void> {
  for (const { id: paymentId, expenseId } of await listUnsentPayments(tx, {
    organizationId,
    recipientId,
  })) {
    const key = { organizationId, paymentId, expenseId }
    await blockUnsentPayment(ctx, tx, { ...key, code: 'recipient_deactivated', actor })
  }
}

/** Job after a policy change: signed payments need a new signature, automatic ones may fit. */
export async function recheckPayments(
  ctx: RecheckContext & Pick<Context, 'db'>,
  { organizationId, vaultId }: { organizationId: string; vaultId: string },
): Promise<void> {
  const unsent = await ctx.db.transaction({ organizationId }, (tx) =>
    listUnsentPayments(tx, { organizationId, vaultId }),
  )
  for (const { id: paymentId, expenseId } of unsent) {
    await ctx.db.transaction({ organizationId }, async (tx) => {
      const payment = await lockUnsent(tx, { organizationId, paymentId, expenseId })
      if (payment) await recheck(ctx, tx, payment)
    })
  }
}

async function recheck(ctx: RecheckContext, tx: Tx, payment: PaymentRow): Promise<void> {
  const { organizationId, expenseId, expenseRevision, mode } = payment
  const revision = await findRevision(tx, { organizationId, expenseId, revision: expenseRevision })
  if (!revision) return
  const spending = await lockSpending(ctx, tx, { organizationId, revision, mode, own: payment })
  const { policy } = spending
  const isSame = policy?.version === payment.policyVersion
  const block = (code: BlockCode) =>
    movePayment(ctx, tx, { payment, event: 'block', actor: SYSTEM, code })
  if (mode === 'approved') {
    if (isSame) await changeLane(tx, payment)
    else await block('approval_superseded')
    return
  }
  const refusal = spendingRefusal(spending)
  if (refusal || !policy) {
    await block(
      isOtherExecutor(spending) ? 'executor_mismatch' : (refusal?.blockCode ?? 'policy_missing'),
    )
    return
  }
  // After a reorganisation the same version may have other rules; the payment still fits them.
  if (isSame) return changeLane(tx, payment)
  if (!(await isStillSealed(ctx, tx, payment))) {
    const code = 'authorization_not_authentic'
    await block(code)
    reportForgery(ctx, { payment, code })
    return
  }
  const { deadline } = automaticUntil(ctx.clock.now(), policy.expiresAt)
  const key = { organizationId, paymentId: payment.id }
  const data = { policyVersion: policy.version }
  await movePayment(ctx, tx, { payment, event: 'renew', actor: SYSTEM, data })
  const terms = { policyVersion: policy.version, deadline }
  updatePaymentPolicy(tx, { ...key, ...terms, seal: sealed(ctx, { ...payment, ...terms }) })
  enqueueDeadline(tx, key, deadline)
  await changeLane(tx, payment)
  // The last pass may have found nothing due and scheduled no other.
  if (payment.laneId) wakeLane(tx, { organizationId, laneId: payment.laneId })
}

/** Nothing of it was signed: the executor that the policy now names sends it. */
async function changeLane(tx: Tx, payment: PaymentRow): Promise<void> {
  const { organizationId, id: paymentId } = payment
  if (payment.laneId === null) return
  const executor = await findPayingExecutor(tx, payment)
  if (!executor || executor.id === payment.laneId) return
  const laneId = executor.id
  updatePaymentLane(tx, { organizationId, paymentId, laneId })
  wakeLane(tx, { organizationId, laneId })
}

const isOtherExecutor = ({ policy, executorAddress }: Spending): boolean =>
  policy !== undefined && policy.executorAddress !== executorAddress

/** Job: blocks an automatic payment that was not sent by its deadline. */
export async function expirePayment(
  ctx: Pick<Context, 'db' | 'clock' | 'ids'>,
  { organizationId, paymentId }: JobPayloads['expire_payment'],
): Promise<void> {
  await ctx.db.transaction({ organizationId }, async (tx) => {
    const found = await findPayment(tx, { organizationId, paymentId, onlyOf: null })
    if (!found) return
    const payment = await lockUnsent(tx, { organizationId, paymentId, expenseId: found.expenseId })
    if (payment?.mode !== 'automatic') return
    if (!(await findIsPastDeadline(tx, { organizationId, paymentId }))) {
      enqueueDeadline(tx, { organizationId, paymentId }, payment.deadline)
      return
    }
    const code = 'deadline_passed'
    await movePayment(ctx, tx, { payment, event: 'block', actor: SYSTEM, code })
  })
}
