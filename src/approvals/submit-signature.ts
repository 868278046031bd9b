/**
 * Accepts a valid signature. The first one reserves the payment; the last one that the policy asks
 * for approves the expense and has the payment queued.
 */
import { digestOf, signerOf } from '@countersign/proof/typed-data.ts'
import type { Member } from '#access/permissions.ts'
import type { Context } from '#context.ts'
import { requireVersion } from '#expenses/expense.ts'
import { type ExpenseRow, lockExpense } from '#expenses/expenses.store.ts'
import { moveExpense, recordSignature } from '#expenses/move-expense.ts'
import { asActor, asMember, scopeOf } from '#organizations/actor.ts'
import { addSignature } from '#payments/add-signature.ts'
import { type PaymentRecord, toPaymentRecord } from '#payments/payment.ts'
import {
  findPayment,
  lockPayment,
  type PaymentRow,
  type PaymentSignature,
} from '#payments/payments.store.ts'
import { enqueueRelease } from '#payments/release-payment.ts'
import { afterRelease } from '#payments/request-payment.ts'
import { reservePayment } from '#payments/reserve-payment.ts'
import type { Tx } from '#platform/database/database.ts'
import { AppError } from '#platform/errors.ts'
import {
  type Approvable,
  contentOf,
  lockApprovalContext,
  serverWalletRefusal,
} from './approval-context.ts'
import {
  type ApprovalRow,
  findApproval,
  listApproverWallets,
  listOpenApprovals,
  lockApproval,
} from './approvals.store.ts'
import { moveApproval, supersedePrepared } from './move-approval.ts'
import { requireFirstSignature, settleOthers } from './standing-approvals.ts'

type SignatureContext = Pick<
  Context,
  'db' | 'clock' | 'ids' | 'chain' | 'config' | 'secrets' | 'outcomes'
>

export type SubmitSignature = {
  actor: Member
  expenseId: string
  expectedVersion: number
  approvalId: string
  signature: string
}

export async function submitSignature(
  ctx: SignatureContext,
  input: SubmitSignature,
): Promise<PaymentRecord> {
  const { actor, expenseId, approvalId } = input
  const { organizationId } = actor
  const found = await ctx.db.read(scopeOf(actor), (reader) =>
    findApproval(reader, { organizationId, approvalId }),
  )
  requireOwn(found, { actor, expenseId })
  const signature = input.signature.toLowerCase()
  // This may call the chain, so it runs before the transaction; a digest never changes. A signature
  // that was accepted once is not verified again, because a contract wallet may have changed since.
  if (!isRepeat(found, signature) && !(await isSignedBy(ctx, found, signature))) {
    throw new AppError('invalid_signature')
  }
  const { payment, isReleased } = await asMember(ctx, actor, async (tx) => {
    const expense = await lockExpense(tx, { organizationId, expenseId })
    const approval = await lockApproval(tx, { organizationId, approvalId })
    if (!expense || !approval) throw new AppError('not_found')
    if (isRepeat(approval, signature)) {
      const { paymentId } = expense
      const payment = await findPayment(tx, { organizationId, paymentId, onlyOf: null })
      if (payment) return { payment, isReleased: false }
    }
    requireVersion(expense, input.expectedVersion)
    await requireOnce(tx, { expense, approval })
    requireSignable(ctx, approval)
    if (expense.state !== 'awaiting_approval') throw new AppError('state_conflict')
    return accept(ctx, tx, { actor, expense, approval, signature })
  })
  return isReleased ? afterRelease(ctx, { actor, payment }) : toPaymentRecord(payment)
}

function requireOwn(
  approval: ApprovalRow | undefined,
  { actor, expenseId }: { actor: Member; expenseId: string },
): asserts approval is ApprovalRow {
  if (!approval || approval.expenseId !== expenseId) throw new AppError('not_found')
  if (approval.accountId === actor.accountId) return
  throw new AppError('forbidden', {
    message: 'This approval was prepared for another approver. Prepare your own.',
  })
}

const isRepeat = ({ state, signature }: ApprovalRow, given: string): boolean =>
  signature === given && state !== 'prepared'

/** Tries ECDSA first, as the vault does, and asks the contract wallet otherwise. */
async function isSignedBy(
  { chain }: SignatureContext,
  { digest, approverAddress }: ApprovalRow,
  signature: string,
): Promise<boolean> {
  if ((await signerOf(digest, signature)) === approverAddress) return true
  return chain.isValidSignature({ address: approverAddress, digest, signature })
}

/** While signatures of others are missing, another one of the same person fills no place. */
async function requireOnce(
  tx: Tx,
  { expense, approval }: { expense: ExpenseRow; approval: ApprovalRow },
): Promise<void> {
  const { organizationId, expenseId, accountId } = approval
  if (expense.state !== 'awaiting_approval') return
  const own = await listOpenApprovals(tx, { organizationId, expenseId, accountId })
  requireFirstSignature(own, { accountId })
}

function requireSignable(ctx: Pick<Context, 'clock'>, approval: ApprovalRow): void {
  const { state, isCancelled, deadline } = approval
  if (state === 'expired' || (state === 'prepared' && deadline <= ctx.clock.now().toISOString())) {
    throw new AppError('approval_expired')
  }
  if (state === 'prepared' && !isCancelled) return
  throw new AppError('state_conflict', {
    message: isCancelled
      ? 'This approval was cancelled. Prepare a new one.'
      : `This approval is ${state}. Prepare a new one.`,
  })
}

type Accepting = Pick<SubmitSignature, 'actor' | 'signature'> & {
  expense: ExpenseRow
  approval: ApprovalRow
}

/**
 * Checks everything again under lock and recomputes the digest from the locked rows. The expense
 * stays locked, so that of two last signatures one comes after the other.
 */
async function accept(
  ctx: SignatureContext,
  tx: Tx,
  { actor, expense, approval, signature }: Accepting,
): Promise<{ payment: PaymentRow; isReleased: boolean }> {
  const approvable = await lockApprovalContext(ctx, tx, { actor, expense })
  await requireOwnRole(tx, { actor, approval })
  const { id: approvalId, deadline, digest, approverAddress } = approval
  const content = await contentOf(tx, {
    approvalId,
    expense,
    deadline,
    approverAddress,
    ...approvable,
  })
  const isListed = approvable.room.policy.approverAddresses.includes(approverAddress)
  if (!isListed || digestOf(content) !== digest) {
    throw new AppError('policy_violation', {
      message: 'The expense or policy changed after this approval was prepared. Prepare a new one.',
    })
  }
  const by = asActor(actor)
  const others = await settleOthers(ctx, tx, { approval, expense, approvable, actor: by })
  await moveApproval(ctx, tx, { approval, event: 'sign', actor: by, signature })
  const signed = [...others, { ...approval, signature }].flatMap(toSignature)
  const counted = { actor, expense, approvable, approval, signed }
  if (signed.length < approvable.required) {
    const payment = await reserve(ctx, tx, counted)
    const data = { approvalId, digest, signed: signed.length, required: approvable.required }
    await recordSignature(ctx, tx, { expense, actor: by, data })
    return { payment, isReleased: false }
  }
  return complete(ctx, tx, counted)
}

const toSignature = (approval: ApprovalRow): PaymentSignature[] => {
  const { id: approvalId, accountId, approverAddress, digest, signature } = approval
  return signature === null ? [] : [{ approvalId, accountId, approverAddress, digest, signature }]
}

type Counted = Pick<Accepting, 'actor' | 'expense' | 'approval'> & {
  approvable: Approvable
  /** The first one first, and the new one last. */
  signed: readonly PaymentSignature[]
}

/** The first signature reserves the payment; the others are added to the reservation. */
async function reserve(
  ctx: SignatureContext,
  tx: Tx,
  { actor, expense, approval: { deadline }, approvable, signed }: Counted,
): Promise<PaymentRow> {
  const { organizationId, paymentId } = expense
  const by = asActor(actor)
  const payment = await lockPayment(tx, { organizationId, paymentId })
  const added = signed.at(-1)
  if (payment?.state === 'reserved' && added) {
    return addSignature(ctx, tx, { payment, signature: added, actor: by })
  }
  const { revision, report, required: requiredApprovals } = approvable
  return reservePayment(ctx, tx, {
    expense,
    revision,
    report,
    authorization: { kind: 'approved', signatures: signed, requiredApprovals, deadline },
    actor: by,
  })
}

/** The last signature: the expense is approved, and a worker may queue the payment. */
async function complete(
  ctx: SignatureContext,
  tx: Tx,
  counted: Counted,
): Promise<{ payment: PaymentRow; isReleased: boolean }> {
  const { actor, expense, approval, approvable } = counted
  const { organizationId, expenseId, id: approvalId, digest } = approval
  const by = asActor(actor)
  // Nobody else needs to sign.
  await supersedePrepared(ctx, tx, { organizationId, expenseId, actor: by })
  const { isSoleApprover } = approvable
  const approved = await moveExpense(ctx, tx, {
    expense,
    event: 'approve',
    actor: by,
    data: { approvalId, digest, ...(isSoleApprover && { sole_approver: true }) },
  })
  const payment = await reserve(ctx, tx, { ...counted, expense: approved })
  if (ctx.config.paymentRelease === 'manual') return { payment, isReleased: false }
  // The API role may not queue payments: a worker verifies the signatures again and queues it.
  enqueueRelease(tx, { organizationId, paymentId: payment.id })
  return { payment, isReleased: true }
}

/** The wallet that prepared the approval must still be the caller's approver wallet. */
async function requireOwnRole(
  tx: Tx,
  { actor, approval }: { actor: Member; approval: ApprovalRow },
): Promise<void> {
  const { organizationId, membershipId } = actor
  const wallets = await listApproverWallets(tx, { organizationId, membershipId })
  const wallet = wallets.find(({ walletRoleId }) => walletRoleId === approval.walletRoleId)
  if (!wallet) throw new AppError('approver_wallet_required')
  if (wallet.isServer) throw serverWalletRefusal()
}
