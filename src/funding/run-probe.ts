/**
 * The negative test: requests a withdrawal that the signer's policy must deny. Denied is the good
 * outcome and proves that the signer is constrained. If it is signed, the signer was able to
 * withdraw: the control fails and the signer is detached. The call has too little gas to be mined.
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
import { type OpenAction, withLockedAction } from './open-action.ts'

export async function runProbe(
  ctx: FundingContext,
  provider: FundingProvider,
  open: OpenAction,
): Promise<'ended'> {
  const { action, control, wallet } = open
  const { vaultAddress } = control
  const call = ctx.chain.withdrawalProbe({ vaultAddress, amount: action.amount })
  await recordRequest(ctx, open)
  const answer = await provider.probe({ ...asAttached(control, wallet), actionId: action.id, call })
  await write(ctx, open, answer)
  return 'ended'
}

async function recordRequest(ctx: FundingContext, open: OpenAction): Promise<void> {
  const { organizationId, id: actionId } = open.action
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

const write = (ctx: FundingContext, open: OpenAction, answer: ProbeAnswer): Promise<void> =>
  withLockedAction(ctx, open, async (tx, { action, control }) => {
    if (!isOpen(action)) return
    if (answer.outcome === 'denied') {
      await moveAction(ctx, tx, { action, event: 'deny', data: { deniedAs: answer.code } })
      if (isProbeAwaited(control)) await verify(ctx, tx, control)
      return
    }
    const isPassed = answer.outcome === 'passed'
    // All controls of the signer fail, even if the tested control has ended.
    const held = isPassed ? await lockWalletControls(tx, control) : []
    const failureCode = isPassed ? PROBE_NOT_DENIED : answer.code
    await moveAction(ctx, tx, { action, event: 'fail', failureCode })
    if (!isPassed) return
    const others = held.filter(({ id }) => id !== control.id)
    for (const one of [control, ...others].filter(({ state }) => state !== 'failed')) {
      await moveControl(ctx, tx, { control: one, event: 'fail', actor: SYSTEM, failureCode })
    }
  })

/** The read-back was equal before; only the denied test was missing. */
async function verify(ctx: FundingContext, tx: Tx, control: ControlRow): Promise<void> {
  const { organizationId, id: controlId } = control
  await moveControl(ctx, tx, { control, event: 'verify', actor: SYSTEM })
  enqueueWatch(ctx, tx, { organizationId, controlId }, 0)
}
