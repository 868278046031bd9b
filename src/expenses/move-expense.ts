/** The only writer of an expense's state. */
import type { Context } from '#context.ts'
import type { Actor } from '#journal/actor.ts'
import { type Change, recordChange, recordChanges } from '#journal/journal.ts'
import type { BlockCode } from '#platform/block-codes.ts'
import type { Tx } from '#platform/database/database.ts'
import { AppError } from '#platform/errors.ts'
import { next } from '#platform/machine.ts'
import { type ExpenseEvent, expenseMachine } from './expense.machine.ts'
import { expenseActions } from './expenses.actions.ts'
import { type ExpenseRow, markSubmitted, updateExpenseStates } from './expenses.store.ts'

export type MoveExpense = {
  /** As read under lock. */
  expense: ExpenseRow
  event: ExpenseEvent
  actor: Actor
  /** What the audit trail needs besides the states. */
  data?: Record<string, unknown>
  /** Only for a move to `blocked`. */
  blockCode?: BlockCode
  revision?: number
  reportId?: string | null
}

const actionRequired = ['needs_review', 'revision_requested', 'awaiting_approval', 'blocked']

type MoveContext = Pick<Context, 'clock' | 'ids'>

export async function moveExpense(
  ctx: MoveContext,
  tx: Tx,
  move: MoveExpense,
): Promise<ExpenseRow> {
  const [moved] = await moveExpenses(ctx, tx, [move])
  if (!moved) throw new AppError('state_conflict')
  return moved
}

function requireCode(code: BlockCode | undefined): BlockCode {
  if (code === undefined) throw new Error('A blocked expense needs a block code')
  return code
}

/** Moves several expenses, all or none. */
export async function moveExpenses(
  ctx: MoveContext,
  tx: Tx,
  requested: readonly MoveExpense[],
): Promise<ExpenseRow[]> {
  if (requested.length === 0) return []
  const at = ctx.clock.now()
  const moves = requested.map(({ expense, event, blockCode, revision, reportId, ...move }) => {
    const to = next(expenseMachine, { from: expense.state, event })
    return {
      ...move,
      expense,
      event,
      to,
      blockCode: to === 'blocked' ? requireCode(blockCode) : null,
      revision: revision ?? expense.currentRevision,
      reportId: reportId === undefined ? expense.currentReportId : reportId,
      at,
    }
  })
  const moved = await updateExpenseStates(tx, moves)
  if (moved.length < moves.length) throw new AppError('state_conflict')
  for (const { event, expense } of moves) {
    if (event === 'submit') recordSubmission(tx, expense, at)
  }
  await recordChanges(ctx, tx, moves.map(changeOf))
  return moves.map(({ expense, to, blockCode, revision, reportId }) => ({
    ...expense,
    state: to,
    blockCode,
    currentRevision: revision,
    currentReportId: reportId,
    updatedAt: at.toISOString(),
  }))
}

type Moved = Pick<MoveExpense, 'expense' | 'event' | 'actor' | 'data'> & {
  to: ExpenseRow['state']
  blockCode: BlockCode | null
  revision: number
}

const changeOf = ({ expense, event, actor, data, to, blockCode, revision }: Moved): Change => ({
  organizationId: expense.organizationId,
  actor,
  action: expenseActions[event],
  aggregateType: 'expense',
  aggregateId: expense.id,
  data: { from: expense.state, to, revision, ...data },
  live: {
    kind: 'expense.changed',
    aggregateType: 'expense',
    targetState: to,
    severity: actionRequired.includes(to) ? 'action_required' : 'healthy',
    code: blockCode,
  },
})

const recordSubmission = (
  tx: Tx,
  { organizationId, id: expenseId, currentRevision: revision }: ExpenseRow,
  at: Date,
): void => markSubmitted(tx, { organizationId, expenseId, revision, at })

/** Live events with this code say that a signature was added and others are missing. */
export const SIGNATURE_ADDED = 'signature_added'

/** The expense stays as it is until the last signature; those who have not signed are told. */
export const recordSignature = (
  ctx: MoveContext,
  tx: Tx,
  { expense, actor, data }: Pick<MoveExpense, 'expense' | 'actor' | 'data'>,
): Promise<void> =>
  recordChange(ctx, tx, {
    organizationId: expense.organizationId,
    actor,
    action: expenseActions.sign,
    aggregateType: 'expense',
    aggregateId: expense.id,
    data: { revision: expense.currentRevision, ...data },
    live: {
      kind: 'expense.changed',
      aggregateType: 'expense',
      targetState: expense.state,
      severity: 'action_required',
      code: SIGNATURE_ADDED,
    },
  })
