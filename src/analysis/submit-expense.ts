/** Submits the current revision for analysis, which runs later in `run-analysis.ts`. */
import type { Member } from '#access/permissions.ts'
import type { Context } from '#context.ts'
import { lockOwnExpense } from '#expenses/change-expense.ts'
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

/** Block code of an expense whose analysis failed. */
export const ANALYSIS_FAILED = 'analysis_failed' satisfies BlockCode

export async function submitExpense(
  ctx: Pick<Context, 'db' | 'clock' | 'ids'>,
  target: SubmitExpense,
): Promise<SubmittedExpense> {
  const { organizationId } = target.actor
  return asMember(ctx, target.actor, async (tx) => {
    const expense = await lockOwnExpense(tx, target)
    const { id: expenseId, currentRevision: expenseRevision } = expense
    // A repeated submit while the run is open gives the same answer, and restores a lost job.
    const open = await findOpenRun(tx, { organizationId, expenseId })
    if (open) {
      enqueueRun(tx, { organizationId, runId: open.id })
      return { taskId: open.id, expenseId }
    }

    requireAnalysisHelps(expense)
    const actor = asActor(target.actor)
    await moveExpense(ctx, tx, { expense, event: 'submit', actor })
    const run = { organizationId, expenseId, expenseRevision, actor }
    const taskId = await queueRun(ctx, tx, run)
    // In the same transaction, so that exactly the committed submissions have a job.
    enqueueRun(tx, { organizationId, runId: taskId })
    return { taskId, expenseId }
  })
}

/** The key keeps one job per run; a repeated request finds the waiting one. */
export const enqueueRun = (
  tx: Tx,
  run: JobPayloads['analyze_expense'],
  delaySeconds?: number,
): void =>
  enqueue(tx, 'analyze_expense', run, {
    key: `analyze_expense:${run.runId}`,
    ...(delaySeconds !== undefined && { delaySeconds }),
  })

/**
 * An expense that is blocked for another reason has a report; analysing it again would not help.
 */
function requireAnalysisHelps({ state, blockCode }: ExpenseRow): void {
  if (state !== 'blocked' || blockCode === ANALYSIS_FAILED) return
  throw new AppError('state_conflict', {
    message: 'This expense is blocked, but not by its analysis. See `blockCode`.',
  })
}
