/**
 * Accepts a valid signature: the approval is signed, the expense approved and its payment reserved.
 */
import { digestOf, signerOf } from '@countersign/proof/typed-data.ts'
import type { Member } from '#access/permissions.ts'
import type { Context } from '#context.ts'
import { requireVersion } from '#expenses/expense.ts'
import { lockExpense } from '#expenses/expenses.store.ts'
import { moveExpense } from '#expenses/move-expense.ts'
import { asActor, asMember, scopeOf } from '#organizations/actor.ts'
import { type PaymentRecord, toPaymentRecord } from '#payments/payment.ts'
import { findPayment, type PaymentRow } from '#payments/payments.store.ts'
import { enqueueRelease } from '#payments/release-payment.ts'
import { afterRelease } from '#payments/request-payment.ts'
import { reservePayment } from '#payments/reserve-payment.ts'
import type { Tx } from '#platform/database/database.ts'
import { AppError } from '#platform/errors.ts'
import {
  type ApprovalRow,
  findApproval,
  listApproverWallets,
  lockApproval,
} from './approvals.store.ts'
import { moveApproval, supersedeOpen } from './move-approval.ts'
import { contentOf, lockApprovalContext, serverWalletRefusal } from './prepare-approval.ts'

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
  const found = await ctx.db.transaction(scopeOf(actor), (tx) =>
    findApproval(tx, { organizationId, approvalId }),
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
    requireSignable(ctx, approval)
    return accept(ctx, tx, { ...input, expense, approval, signature })
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

/** Checks everything again under lock and recomputes the digest from the locked rows. */
async function accept(
  ctx: SignatureContext,
  tx: Tx,
  {
    actor,
    expense,
    approval,
    signature,
  }: SubmitSignature & {
    expense: NonNullable<Awaited<ReturnType<typeof lockExpense>>>
    approval: ApprovalRow
  },
): Promise<{ payment: PaymentRow; isReleased: boolean }> {
  if (expense.state !== 'awaiting_approval') throw new AppError('state_conflict')
  const approvable = await lockApprovalContext(ctx, tx, { actor, expense })
  await requireOwnRole(tx, { actor, approval })
  const { id: approvalId, deadline, digest, approverAddress } = approval
  const content = await contentOf(tx, { approvalId, expense, deadline, ...approvable })
  if (digestOf({ ...content, approverAddress }) !== digest) {
    throw new AppError('policy_violation', {
      message: 'The expense or policy changed after this approval was prepared. Prepare a new one.',
    })
  }
  const by = asActor(actor)
  await moveApproval(ctx, tx, { approval, event: 'sign', actor: by, signature })
  // One signature is enough, so the other open approvals are superseded.
  const { organizationId, expenseId } = approval
  await supersedeOpen(ctx, tx, { organizationId, expenseId, except: approvalId, actor: by })
  const { revision, report, isSoleApprover } = approvable
  const approved = await moveExpense(ctx, tx, {
    expense,
    event: 'approve',
    actor: by,
    data: { approvalId, digest, ...(isSoleApprover && { sole_approver: true }) },
  })
  const payment = await reservePayment(ctx, tx, {
    expense: approved,
    revision,
    report,
    authorization: { kind: 'approved', approvalId, digest, approverAddress, signature, deadline },
    actor: by,
  })
  if (ctx.config.paymentRelease === 'manual') return { payment, isReleased: false }
  // The API role may not queue payments: a worker verifies the signature again and queues it.
  await enqueueRelease(tx, { organizationId, paymentId: payment.id })
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
