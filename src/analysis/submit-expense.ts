/** Hands the current revision to analysis, which runs later in `run-analysis.ts`. */

import type { Member } from '#access/permissions.ts'
import type { Context } from '#context.ts'
import { lockOwn } from '#expenses/change-expense.ts'
import type { ExpenseRow } from '#expenses/expenses.store.ts'
import { moveExpense } from '#expenses/move-expense.ts'
import { asActor, asMember } from '#organizations/actor.ts'
import type { BlockCode } from '#platform/block-codes.ts'
import type { Tx } from '#platform/database/database.ts'
import { AppError } from '#platform/errors.ts'
import { enqueue, type JobPayloads } from '#platform/jobs/jobs.ts'
import { findOpenRun } from './analysis.store.ts'
import { queueRun } from './move-run.ts'

export type SubmitExpense = { actor: Member; expenseId: string; expectedVersion: number }
export type SubmittedExpense = { taskId: string; expenseId: string }

/** The code of an expense that is blocked because its analysis failed. */
export const ANALYSIS_FAILED = 'analysis_failed' satisfies BlockCode

export async function submitExpense(
  ctx: Pick<Context, 'db' | 'clock' | 'ids'>,
  target: SubmitExpense,
): Promise<SubmittedExpense> {
  const { organizationId } = target.actor
  return asMember(ctx, target.actor, async (tx) => {
    const expense = await lockOwn(tx, target)
    const { id: expenseId, currentRevision: expenseRevision } = expense
    // The same request again, while the first is still at work: the same answer. Should its job
    // have been lost, this brings it back.
    const open = await findOpenRun(tx, { organizationId, expenseId })
    if (open) {
      await enqueueRun(tx, { organizationId, runId: open.id })
      return { taskId: open.id, expenseId }
    }

    requireAnalysable(expense)
    const actor = asActor(target.actor)
    await moveExpense(ctx, tx, { expense, event: 'submit', actor })
    const run = { organizationId, expenseId, expenseRevision, actor }
    const taskId = await queueRun(ctx, tx, run)
    // Same transaction: a committed submit always has its job, a rolled-back one never does.
    await enqueueRun(tx, { organizationId, runId: taskId })
    return { taskId, expenseId }
  })
}

/** One job a run: whoever asks again meets the one that is waiting. */
export const enqueueRun = (
  tx: Tx,
  run: JobPayloads['analyze_expense'],
  delaySeconds?: number,
): Promise<void> =>
  enqueue(tx, 'analyze_expense', run, {
    key: `analyze_expense:${run.runId}`,
    ...(delaySeconds !== undefined && { delaySeconds }),
  })

/** What is blocked for another reason has its report; analysing it again would not help. */
function requireAnalysable({ state, blockCode }: ExpenseRow): void {
  if (state !== 'blocked' || blockCode === ANALYSIS_FAILED) return
  throw new AppError('state_conflict', {
    message: 'It is blocked for another reason than its analysis. See blockCode.',
  })
}
