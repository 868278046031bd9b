/** Reviews an expense: requests a revision, rejects it or advances it to approval. */
import type { Member } from '#access/permissions.ts'
import type { Context } from '#context.ts'
import { asActor, asMember } from '#organizations/actor.ts'
import { findRecipient } from '#organizations/recipients.store.ts'
import { listReviewerIds } from '#organizations/reviewers.store.ts'
import type { Tx } from '#platform/database/database.ts'
import { AppError } from '#platform/errors.ts'
import { next } from '#platform/machine.ts'
import { requireUsable } from '#treasury/vault.ts'
import { findVault } from '#treasury/vaults.store.ts'
import { listEverLinked } from '#wallets/wallet-links.store.ts'
import { lockVisibleExpense, requireNoLivePayment, voidApprovals } from './change-expense.ts'
import { insertReview, type ReviewAction } from './decisions.store.ts'
import { expenseMachine } from './expense.machine.ts'
import { requireVersion, requireVisibleText } from './expense.ts'
import { type ExpenseRow, findRevision } from './expenses.store.ts'
import { isAnotherDecider, isPayee, isSubmitter, mayDecide } from './four-eyes.ts'
import { moveExpense } from './move-expense.ts'
import { readChanged } from './read-expenses.ts'

export type ReviewExpense = {
  actor: Member
  expenseId: string
  expectedVersion: number
  action: ReviewAction
  reason: string
}

const events = {
  request_revision: 'request_revision',
  reject: 'reject',
  advance_to_approval: 'advance',
} as const

export async function reviewExpense(
  ctx: Pick<Context, 'db' | 'clock' | 'ids' | 'reactions'>,
  { actor, expenseId, expectedVersion, action, reason }: ReviewExpense,
): Promise<string> {
  requireVisibleText('reason', reason)
  return asMember(ctx, actor, async (tx) => {
    const expense = await lockVisibleExpense(tx, { actor, expenseId })
    const isSoleReviewer = await requireIndependentReviewer(tx, { actor, expense })
    requireVersion(expense, expectedVersion)
    const event = events[action]
    next(expenseMachine, { from: expense.state, event })
    if (event === 'advance') await requireAdvanceable(tx, expense)
    await voidApprovals(ctx, tx, { actor, expense })
    await requireNoLivePayment(tx, expense)
    const { organizationId, accountId } = actor
    const review = { organizationId, expenseId: expense.id, revision: expectedVersion, accountId }
    insertReview(tx, { ...review, id: ctx.ids.next(), action, reason, at: ctx.clock.now() })
    const moved = await moveExpense(ctx, tx, {
      expense,
      event,
      actor: asActor(actor),
      data: { reason, ...(isSoleReviewer && { sole_reviewer: true }) },
    })
    return readChanged(tx, moved)
  })
}

/**
 * Rejects payees, and submitters while another reviewer exists. True if there is no other reviewer.
 */
async function requireIndependentReviewer(
  tx: Tx,
  { actor, expense }: { actor: Member; expense: ExpenseRow },
): Promise<boolean> {
  const { organizationId, accountId } = actor
  const { id: expenseId, currentRevision, submitterAccountId } = expense
  const terms = await findRevision(tx, { organizationId, expenseId, revision: currentRevision })
  if (!terms) throw new AppError('not_found')
  const paidAccountIds = await listEverLinked(tx, terms.recipientAddress)
  const decider = { accountId, submitterAccountId, paidAccountIds }
  if (!isPayee(decider) && !isSubmitter(decider)) return false
  const reviewerIds = await listReviewerIds(tx, organizationId)
  if (mayDecide(decider, reviewerIds)) return true
  if (!isPayee(decider)) throw new AppError('self_review')
  const advice = isAnotherDecider(decider, reviewerIds)
    ? 'Ask another owner or manager to review it.'
    : 'Nobody else can review it. Invite another manager.'
  throw new AppError('self_review', {
    message: `This expense pays a wallet that is or was yours. ${advice}`,
  })
}

/** An expense that nobody could sign or pay must not reach an approver. */
async function requireAdvanceable(tx: Tx, expense: ExpenseRow): Promise<void> {
  const { organizationId, id: expenseId, currentRevision: revision } = expense
  if (expense.currentReportId === null) throw new AppError('report_missing')
  const terms = await findRevision(tx, { organizationId, expenseId, revision })
  if (!terms) throw new AppError('not_found')
  const { vaultId, recipientId } = terms
  const vault = await findVault(tx, { organizationId, vaultId })
  if (vault) requireUsable(vault)
  const recipient = await findRecipient(tx, { organizationId, recipientId })
  if (!recipient?.active) {
    throw new AppError('state_conflict', {
      message: 'The recipient is deactivated. Request a revision instead.',
    })
  }
}
