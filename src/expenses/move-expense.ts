/** The only writer of an expense's state. */
import type { Context } from '#context.ts'
import type { Actor } from '#journal/actor.ts'
import { recordChange } from '#journal/journal.ts'
import type { Tx } from '#platform/database.ts'
import { AppError } from '#platform/errors.ts'
import { next } from '#platform/machine.ts'
import { type ExpenseEvent, expenseMachine } from './expense.machine.ts'
import { type ExpenseRow, markSubmitted, updateExpenseState } from './expenses.store.ts'

export type MoveExpense = {
  /** As it was read under lock. */
  expense: ExpenseRow
  event: ExpenseEvent
  actor: Actor
  /** What a reader of the trail needs besides the states. */
  data?: Record<string, unknown>
  /** Only with a move to `blocked`. */
  blockCode?: string
  revision?: number
  reportId?: string | null
}

const needsSomebody = ['needs_review', 'revision_requested', 'awaiting_approval', 'blocked']

export async function moveExpense(
  ctx: Pick<Context, 'clock' | 'ids'>,
  tx: Tx,
  { expense, event, actor, data = {}, blockCode, revision, reportId }: MoveExpense,
): Promise<ExpenseRow> {
  const to = next(expenseMachine, { from: expense.state, event })
  const at = ctx.clock.now()
  const moved = {
    to,
    blockCode: to === 'blocked' ? (blockCode ?? event) : null,
    revision: revision ?? expense.currentRevision,
    reportId: reportId === undefined ? expense.currentReportId : reportId,
    at,
  }
  if (!(await updateExpenseState(tx, { expense, ...moved }))) throw new AppError('state_conflict')
  if (event === 'submit') await recordSubmission(tx, expense, at)
  await recordChange(ctx, tx, {
    organizationId: expense.organizationId,
    actor,
    action: `expense.${event}`,
    aggregateType: 'expense',
    aggregateId: expense.id,
    data: { from: expense.state, to, revision: moved.revision, ...data },
    live: {
      kind: 'expense.changed',
      aggregateType: 'expense',
      targetState: to,
      severity: needsSomebody.includes(to) ? 'action_required' : 'healthy',
      code: moved.blockCode,
    },
  })
  return {
    ...expense,
    state: to,
    blockCode: moved.blockCode,
    currentRevision: moved.revision,
    currentReportId: moved.reportId,
    updatedAt: at.toISOString(),
  }
}

const recordSubmission = (
  tx: Tx,
  { organizationId, id: expenseId, currentRevision: revision }: ExpenseRow,
  at: Date,
): Promise<void> => markSubmitted(tx, { organizationId, expenseId, revision, at })
