/** What its submitter does to an expense: a new revision, or taking it back. */
import type { Member } from '#access/permissions.ts'
import type { Context } from '#context.ts'
import { asActor, asMember } from '#organizations/actor.ts'
import type { Tx } from '#platform/database/database.ts'
import { AppError } from '#platform/errors.ts'
import { next } from '#platform/machine.ts'
import { expenseMachine } from './expense.machine.ts'
import {
  type ExpenseRecord,
  type ExpenseTerms,
  requirePlausible,
  requireSubmitter,
  requireVersion,
  requireVisibleText,
} from './expense.ts'
import { type ExpenseRow, findHasLivePayment, lockExpense } from './expenses.store.ts'
import { moveExpense } from './move-expense.ts'
import { toExpenseRecord, visibleTo } from './read-expenses.ts'
import { findParties, writeRevision } from './write-revision.ts'

type ChangeContext = Pick<Context, 'db' | 'clock' | 'ids' | 'reactions'>
type Target = { actor: Member; expenseId: string; expectedVersion: number }

/** Each is analysed, reported, reviewed and signed anew; a hundred rounds are a conversation. */
const REVISIONS_MAX = 100

export const hasRevisionsLeft = ({ currentRevision }: Pick<ExpenseRow, 'currentRevision'>) =>
  currentRevision < REVISIONS_MAX

/** An expense of somebody else is as good as none to an employee. */
export async function lockVisible(
  tx: Tx,
  { actor, expenseId }: Omit<Target, 'expectedVersion'>,
): Promise<ExpenseRow> {
  const expense = await lockExpense(tx, { organizationId: actor.organizationId, expenseId })
  const onlyOf = visibleTo(actor)
  if (!expense || (onlyOf !== null && expense.submitterAccountId !== onlyOf)) {
    throw new AppError('not_found')
  }
  return expense
}

/** Locked, the caller's own, and at the version that the caller has seen. */
export async function lockOwn(tx: Tx, target: Target): Promise<ExpenseRow> {
  const expense = await lockVisible(tx, target)
  requireSubmitter(expense, target.actor)
  requireVersion(expense, target.expectedVersion)
  return expense
}

/** What may still be paid must not be changed, taken back or ended beneath the payment. */
export async function requireNoLivePayment(tx: Tx, expense: ExpenseRow): Promise<void> {
  if (!(await findHasLivePayment(tx, expense))) return
  throw new AppError('state_conflict', {
    message: 'Its payment may still go through. Reconcile it first.',
  })
}

/** Whatever was prepared or signed for it counts no more. */
export const voidApprovals = (
  { reactions }: Pick<Context, 'reactions'>,
  tx: Tx,
  { actor, expense }: { actor: Member; expense: ExpenseRow },
): Promise<void> =>
  reactions.expenseLeftApproval(tx, {
    organizationId: expense.organizationId,
    expenseId: expense.id,
    actor: asActor(actor),
  })

export type ReviseExpense = Target & { terms: ExpenseTerms; reason: string }

/** Back to draft; the report of the older revision counts no more. */
export async function reviseExpense(
  ctx: ChangeContext,
  { terms, reason, ...target }: ReviseExpense,
): Promise<ExpenseRecord> {
  requirePlausible(terms)
  requireVisibleText('reason', reason)
  const { actor } = target
  return asMember(ctx, actor, async (tx) => {
    const expense = await lockOwn(tx, target)
    // Before anything is written: which state is better news than which vault.
    next(expenseMachine, { from: expense.state, event: 'revise' })
    await requireNoLivePayment(tx, expense)
    if (!hasRevisionsLeft(expense)) {
      throw new AppError('state_conflict', {
        message: `An expense has at most ${REVISIONS_MAX} revisions. Create a new one.`,
      })
    }
    const revision = expense.currentRevision + 1
    await voidApprovals(ctx, tx, { actor, expense })
    const parties = await findParties(tx, actor, terms)
    const about = { actor, expenseId: expense.id, revision, terms, reason, parties }
    const { versionHash } = writeRevision(ctx, tx, about)
    const moved = await moveExpense(ctx, tx, {
      expense,
      event: 'revise',
      actor: asActor(actor),
      revision,
      reportId: null,
      data: { versionHash, reason },
    })
    return toExpenseRecord(tx, moved)
  })
}

export async function cancelExpense(ctx: ChangeContext, target: Target): Promise<ExpenseRecord> {
  return asMember(ctx, target.actor, async (tx) => {
    const expense = await lockOwn(tx, target)
    next(expenseMachine, { from: expense.state, event: 'cancel' })
    await requireNoLivePayment(tx, expense)
    await voidApprovals(ctx, tx, { actor: target.actor, expense })
    const actor = asActor(target.actor)
    const moved = await moveExpense(ctx, tx, { expense, event: 'cancel', actor })
    return toExpenseRecord(tx, moved)
  })
}
