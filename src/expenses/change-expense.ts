/** Changes by the submitter of an expense: revise and cancel. */
import type { Member } from '#access/permissions.ts'
import type { Context } from '#context.ts'
import { asActor, asMember } from '#organizations/actor.ts'
import type { Tx } from '#platform/database/database.ts'
import { AppError } from '#platform/errors.ts'
import { next } from '#platform/machine.ts'
import { expenseMachine } from './expense.machine.ts'
import {
  type ExpenseTerms,
  requireSubmitter,
  requireValidTerms,
  requireVersion,
  requireVisibleText,
} from './expense.ts'
import {
  type ExpenseRow,
  findHasLivePayment,
  insertRevision,
  lockExpense,
} from './expenses.store.ts'
import { moveExpense } from './move-expense.ts'
import { composeRevision, findParties } from './new-revision.ts'
import { readChanged, visibleTo } from './read-expenses.ts'

type ChangeContext = Pick<Context, 'db' | 'clock' | 'ids' | 'reactions'>
type Target = { actor: Member; expenseId: string; expectedVersion: number }

/** Each revision is analysed, reviewed and signed again, so their number is bounded. */
export const REVISIONS_MAX = 100

export const hasRevisionsLeft = ({ currentRevision }: Pick<ExpenseRow, 'currentRevision'>) =>
  currentRevision < REVISIONS_MAX

/** An employee gets `not_found` for expenses of other members. */
export async function lockVisibleExpense(
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

/** Locks the caller's own expense and checks that the caller has seen its current revision. */
export async function lockOwnExpense(tx: Tx, target: Target): Promise<ExpenseRow> {
  const expense = await lockVisibleExpense(tx, target)
  requireSubmitter(expense, target.actor)
  requireVersion(expense, target.expectedVersion)
  return expense
}

/**
 * An expense must not change while its payment may still be executed. Called after its approvals
 * are void, because that ends a reservation that lacks signatures.
 */
export async function requireNoLivePayment(tx: Tx, expense: ExpenseRow): Promise<void> {
  if (!(await findHasLivePayment(tx, expense))) return
  throw new AppError('state_conflict', {
    message: 'The payment of this expense may still be executed. Reconcile it first.',
  })
}

/** Voids every prepared or signed approval of the expense, and ends what they reserved. */
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

/** Moves the expense back to draft; the report of the older revision no longer applies. */
export async function reviseExpense(
  ctx: ChangeContext,
  { terms, reason, ...target }: ReviseExpense,
): Promise<string> {
  requireValidTerms(terms)
  requireVisibleText('reason', reason)
  const { actor } = target
  return asMember(ctx, actor, async (tx) => {
    const expense = await lockOwnExpense(tx, target)
    // Check the state first: an invalid state is more useful to report than an invalid vault.
    next(expenseMachine, { from: expense.state, event: 'revise' })
    if (!hasRevisionsLeft(expense)) {
      throw new AppError('state_conflict', {
        message: `An expense has at most ${REVISIONS_MAX} revisions. Create a new expense.`,
      })
    }
    const revision = expense.currentRevision + 1
    await voidApprovals(ctx, tx, { actor, expense })
    await requireNoLivePayment(tx, expense)
    const parties = await findParties(tx, actor, { terms, expenseId: expense.id })
    const revised = { actor, expenseId: expense.id, revision, terms, reason, parties }
    const row = composeRevision(ctx, revised)
    insertRevision(tx, row)
    const moved = await moveExpense(ctx, tx, {
      expense,
      event: 'revise',
      actor: asActor(actor),
      revision,
      reportId: null,
      data: { versionHash: row.versionHash, reason },
    })
    return readChanged(tx, moved)
  })
}

export async function cancelExpense(ctx: ChangeContext, target: Target): Promise<string> {
  return asMember(ctx, target.actor, async (tx) => {
    const expense = await lockOwnExpense(tx, target)
    next(expenseMachine, { from: expense.state, event: 'cancel' })
    await voidApprovals(ctx, tx, { actor: target.actor, expense })
    await requireNoLivePayment(tx, expense)
    const actor = asActor(target.actor)
    const moved = await moveExpense(ctx, tx, { expense, event: 'cancel', actor })
    return readChanged(tx, moved)
  })
}
