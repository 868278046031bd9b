/**
 * `POST …/payments`: releases the payment of an expense, for the first time or again. The API
 * checks whether it can be released and records the request; a worker checks again and does it.
 */
import { requiredApprovals as requiredOf } from '@countersign/proof/execution.ts'
import type { Member } from '#access/permissions.ts'
import type { Context } from '#context.ts'
import { findActiveBinding } from '#executor/executor.store.ts'
import { lockVisibleExpense } from '#expenses/change-expense.ts'
import { requireVersion } from '#expenses/expense.ts'
import { type ExpenseRow, findRevision, type RevisionRow } from '#expenses/expenses.store.ts'
import { moveExpense } from '#expenses/move-expense.ts'
import { asActor, asMember } from '#organizations/actor.ts'
import { type AuthorityApproval, findAuthority } from '#payments/evidence/authority.store.ts'
import type { Tx } from '#platform/database/database.ts'
import { AppError } from '#platform/errors.ts'
import { findPolicy } from '#treasury/policies.store.ts'
import { findVault } from '#treasury/vaults.store.ts'
import { movePayment } from './move-payment.ts'
import {
  type Authorization,
  automaticUntil,
  isForged,
  type PaymentRecord,
  type ReleaseStep,
  releaseStepOf,
  signatureRefusal,
  toPaymentRecord,
} from './payment.ts'
import type { RequestStep } from './payment-requests.store.ts'
import { lockPayment, markGivenUp, type PaymentRow } from './payments.store.ts'
import { wakeLane } from './release-payment.ts'
import { afterRequest, requestOfPayment } from './request-payment.ts'
import {
  lockSpending,
  requireActiveRecipient,
  requireAutomaticRoom,
  requireRoom,
  requireUnpaidElsewhere,
  reservePayment,
} from './reserve-payment.ts'
import {
  type CheckedSignatures,
  isStillSealed,
  type ReviewContext,
  reviewRelease,
} from './review-release.ts'

type PlanContext = Pick<Context, 'clock' | 'config'>

export type QueuePayment = { actor: Member; expenseId: string; expectedVersion: number }

type Plan =
  | { step: Exclude<ReleaseStep, 'release_again' | 'wait'>; payment: PaymentRow }
  | { step: 'release_again'; payment: PaymentRow; again: Again }

type Again = { expense: ExpenseRow; revision: RevisionRow; authorization: Authorization }

export async function queuePayment(
  ctx: PlanContext & Pick<Context, 'db' | 'ids' | 'outcomes'>,
  input: QueuePayment,
): Promise<PaymentRecord> {
  const { actor, expectedVersion } = input
  const asked = await asMember(ctx, actor, async (tx) => {
    const plan = await planRelease(ctx, tx, input)
    const { payment } = plan
    if (plan.step === 'nothing') return { payment }
    const about = { actor, payment, step: plan.step, expectedVersion }
    return { payment, paymentRequestId: await requestOfPayment(ctx, tx, about) }
  })
  const { payment, paymentRequestId } = asked
  if (paymentRequestId === undefined) return toPaymentRecord(payment)
  return afterRequest(ctx, { actor, paymentRequestId, paymentId: payment.id })
}

/** Writes nothing; throws the refusal. The API process and the worker both call it. */
async function planRelease(
  ctx: PlanContext,
  tx: Tx,
  { actor, expenseId, expectedVersion }: QueuePayment,
): Promise<Plan> {
  const { organizationId } = actor
  const expense = await lockVisibleExpense(tx, { actor, expenseId })
  requireVersion(expense, expectedVersion)
  const payment = await lockPayment(tx, { organizationId, paymentId: expense.paymentId })
  if (!payment || payment.expenseRevision !== expense.currentRevision) {
    throw new AppError('state_conflict', {
      message: 'The payment is not authorised yet. Wait for the approval or the analysis.',
    })
  }
  const step = releaseStepOf(payment)
  if (step === 'wait') {
    const { signatures, requiredApprovals } = payment
    throw new AppError('state_conflict', {
      message:
        `${signatures.length} of ${requiredApprovals} approvers have signed. The payment is ` +
        'released when the others have signed, too.',
    })
  }
  if (step === 'release_again') {
    return { step, payment, again: await planAgain(ctx, tx, { expense, payment }) }
  }
  if (step === 'release' && !(await findActiveBinding(tx, organizationId))) {
    throw new AppError('executor_not_ready')
  }
  return { step, payment }
}

/** Checks everything again, the signed approval included. */
async function planAgain(
  ctx: PlanContext,
  tx: Tx,
  { expense, payment }: { expense: ExpenseRow; payment: PaymentRow },
): Promise<Again> {
  const { organizationId, id: expenseId, currentRevision } = expense
  if (isForged(payment)) {
    throw new AppError('state_conflict', {
      message:
        'The records were changed outside the service, so the payment cannot be released. ' +
        'Have the incident investigated, then revise the expense.',
    })
  }
  const revision = await findRevision(tx, { organizationId, expenseId, revision: currentRevision })
  if (expense.state !== 'blocked' || !revision) throw new AppError('state_conflict')
  const authorization = await authorizationOf(ctx, tx, payment)
  const mode = authorization.kind
  await requireActiveRecipient(tx, { organizationId, recipientId: revision.recipientId })
  const { vault, policy } = requireRoom(
    await lockSpending(ctx, tx, { organizationId, revision, mode }),
  )
  await requireUnpaidElsewhere(tx, expense, vault)
  if (mode === 'automatic') await requireAutomaticRoom(ctx, tx, { expense, revision, policy })
  return { expense, revision, authorization }
}

type ReleaseRequest = {
  checked: CheckedSignatures | undefined
  request: { step: RequestStep; paymentEpoch: number }
}

/** A worker carries out the request and records the outcome in one transaction. */
export async function releaseAsAsked(
  ctx: ReviewContext,
  tx: Tx,
  { checked, request, ...input }: QueuePayment & ReleaseRequest,
): Promise<void> {
  const actor = asActor(input.actor)
  const plan = await planRelease(ctx, tx, input)
  const { payment } = plan
  if (plan.step !== request.step || payment.epoch !== request.paymentEpoch) {
    throw new AppError('state_conflict', {
      message: 'The payment has changed since this request. Read it and repeat the request.',
    })
  }
  if (plan.step === 'give_up') return giveUp(ctx, tx, { actor: input.actor, payment })
  if (plan.step === 'release_again') {
    const { expense, authorization } = plan.again
    if (authorization.kind === 'automatic') await requireSealed(ctx, tx, payment)
    const { reportId: id, reportHash } = payment
    const report = { id, reportHash }
    const reserved = await reservePayment(ctx, tx, { ...plan.again, report, actor })
    const event = authorization.kind === 'approved' ? 'release_approved' : 'release_automatic'
    await moveExpense(ctx, tx, { expense, event, actor })
    // The signature was checked; only the epoch of the reservation is new.
    const again = checked && { ...checked, epoch: reserved.epoch }
    return review(ctx, tx, { payment: reserved, checked: again, actor })
  }
  if (plan.step === 'release') return review(ctx, tx, { payment, checked, actor })
}

/** A new MAC may only replace one that a worker has made. */
async function requireSealed(ctx: ReviewContext, tx: Tx, payment: PaymentRow): Promise<void> {
  if (await isStillSealed(ctx, tx, payment)) return
  throw new AppError('state_conflict', {
    message: 'No worker has authorised this payment. Revise the expense.',
  })
}

async function review(
  ctx: ReviewContext,
  tx: Tx,
  {
    checked,
    ...about
  }: Pick<Parameters<typeof reviewRelease>[2], 'payment' | 'actor'> & {
    checked: CheckedSignatures | undefined
  },
): Promise<void> {
  // The payment became releasable after the signature check: the caller retries.
  if (!checked) throw new AppError('state_conflict')
  await reviewRelease(ctx, tx, { ...about, checked })
}

/** By releasing again the member declares the attempt lost; the next pass fails it. */
async function giveUp(
  ctx: ReviewContext,
  tx: Tx,
  { actor, payment }: { actor: Member; payment: PaymentRow },
): Promise<void> {
  const { organizationId, id: paymentId, laneId } = payment
  markGivenUp(tx, { organizationId, paymentId })
  const data = { given_up: true }
  await movePayment(ctx, tx, { payment, event: 'reconcile', actor: asActor(actor), data })
  if (laneId) wakeLane(tx, { organizationId, laneId })
}

async function authorizationOf(
  ctx: PlanContext,
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
  const { approvalId, signatures, deadline } = payment
  const requiredApprovals = requiredOf(policy.tiers, payment.amount)
  const authority = await findAuthority(tx, { organizationId, paymentId: payment.id })
  const refusal = signatureRefusal({
    deadline,
    now: now.toISOString(),
    isApprovalGood:
      signatures.length === requiredApprovals && authority?.approvals.every(isGood) === true,
    policyVersion: version,
    signedVersion: payment.policyVersion,
  })
  if (refusal === 'expired') throw new AppError('approval_expired')
  if (refusal === 'ended') {
    throw new AppError('state_conflict', {
      message: 'An approval is no longer valid. Prepare and sign a new approval.',
    })
  }
  if (refusal === 'other_policy') {
    throw new AppError('policy_violation', {
      message:
        'The policy has changed since the approval was signed. Prepare and sign a new approval.',
    })
  }
  // The first signature stays the first.
  const ordered = signatures.toSorted(
    (a, b) => Number(b.approvalId === approvalId) - Number(a.approvalId === approvalId),
  )
  return { kind: 'approved', signatures: ordered, requiredApprovals, deadline }
}

const isGood = ({ state, isRoleActive }: AuthorityApproval): boolean =>
  state === 'signed' && isRoleActive === true
