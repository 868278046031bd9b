/**
 * Asks the signer for a withdrawal, which its policy must deny. Denied is the success, and the
 * evidence that the signer is constrained. Let through, it is not, whatever became of the call
 * (which has too little gas ever to be mined): the control fails and the signer is taken away.
 */
import { SYSTEM } from '#journal/actor.ts'
import type { Tx } from '#platform/database/database.ts'
import type { FundingProvider, ProbeAnswer } from '#ports/funding-provider.ts'
import { updateActionSubmitted } from './actions.store.ts'
import { type ControlRow, lockWalletControls } from './controls.store.ts'
import { enqueueWatch } from './enqueue-watch.ts'
import { isOpen } from './funding-action.ts'
import { isProbeAwaited, PROBE_NOT_DENIED } from './funding-control.ts'
import { asAttached, type FundingContext } from './funding-provider.ts'
import { moveAction } from './move-action.ts'
import { moveControl } from './move-control.ts'
import { holding, type Task } from './task.ts'

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
      organizationId,
      actionId,
      balanceBefore: null,
      transactionHash: null,
      at: ctx.clock.now(),
    }),
  )
}

const write = (ctx: FundingContext, task: Task, answer: ProbeAnswer): Promise<void> =>
  holding(ctx, task, async (tx, { action, control }) => {
    if (!isOpen(action)) return
    if (answer.outcome === 'denied') {
      await moveAction(ctx, tx, { action, event: 'deny', data: { deniedAs: answer.code } })
      if (isProbeAwaited(control)) await verify(ctx, tx, control)
      return
    }
    const isPassed = answer.outcome === 'passed'
    // The signer is one, whichever control it was tried under, and also when that is over.
    const held = isPassed ? await lockWalletControls(tx, control) : []
    const failureCode = isPassed ? PROBE_NOT_DENIED : answer.code
    await moveAction(ctx, tx, { action, event: 'fail', failureCode })
    if (!isPassed) return
    const others = held.filter(({ id }) => id !== control.id)
    for (const one of [control, ...others].filter(({ state }) => state !== 'failed')) {
      await moveControl(ctx, tx, { control: one, event: 'fail', actor: SYSTEM, failureCode })
    }
  })

/** It was read back before: this was all that was missing. */
async function verify(ctx: FundingContext, tx: Tx, control: ControlRow): Promise<void> {
  const { organizationId, id: controlId } = control
  await moveControl(ctx, tx, { control, event: 'verify', actor: SYSTEM })
  await enqueueWatch(ctx, tx, { organizationId, controlId }, 0)
}
