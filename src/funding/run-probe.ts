/**
 * Asks the signer for a withdrawal, which its policy must deny. Denied is the success, and the
 * evidence that the signer is constrained. Let through, it is not, whatever became of the call
 * (which has too little gas ever to be mined): the control fails and the signer is taken away.
 */
import { SYSTEM } from '#journal/actor.ts'
import type { FundingProvider, ProbeAnswer } from '#ports/funding-provider.ts'
import { updateActionSubmitted } from './actions.store.ts'
import { isOpen } from './funding-action.ts'
import { asAttached, type FundingContext } from './funding-provider.ts'
import { moveAction } from './move-action.ts'
import { moveControl } from './move-control.ts'
import { holding, type Task } from './task.ts'

export const PROBE_NOT_DENIED = 'probe_not_denied'

export async function runProbe(
  ctx: FundingContext,
  provider: FundingProvider,
  task: Task,
): Promise<'ended'> {
  const { action, control, wallet } = task
  const { vaultAddress } = control
  const call = ctx.chain.withdrawalProbe({ vaultAddress, amount: action.amount })
  await noteAsked(ctx, task)
  const answer = await provider.probe({ ...asAttached(control, wallet), actionId: action.id, call })
  await write(ctx, task, answer)
  return 'ended'
}

async function noteAsked(ctx: FundingContext, task: Task): Promise<void> {
  const { organizationId, id: actionId } = task.action
  await ctx.db.transaction({ organizationId }, (tx) =>
    updateActionSubmitted(tx, {
      ...{ organizationId, actionId, balanceBefore: null, transactionHash: null },
      at: ctx.clock.now(),
    }),
  )
}

const write = (ctx: FundingContext, task: Task, answer: ProbeAnswer): Promise<void> =>
  holding(ctx, task, async (tx, { action, control }) => {
    if (!isOpen(action)) return
    if (answer.outcome === 'denied') {
      await moveAction(ctx, tx, { action, event: 'deny', data: { deniedAs: answer.code } })
      return
    }
    const isPassed = answer.outcome === 'passed'
    const failureCode = isPassed ? PROBE_NOT_DENIED : answer.code
    await moveAction(ctx, tx, { action, event: 'fail', failureCode })
    if (!isPassed || control.state === 'failed') return
    await moveControl(ctx, tx, { control, event: 'fail', actor: SYSTEM, failureCode })
  })
