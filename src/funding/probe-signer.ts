/** Job: starts the regular negative test of a verified signer, like a probe of the owner. */
import type { Context } from '#context.ts'
import { SYSTEM } from '#journal/actor.ts'
import { addSeconds } from '#platform/clock.ts'
import type { Tx } from '#platform/database/database.ts'
import { enqueue, type JobPayloads } from '#platform/jobs/jobs.ts'
import { findOpenProbe } from './actions.store.ts'
import { lockControl } from './controls.store.ts'
import { isExpired, isProbeAwaited } from './funding-control.ts'
import type { FundingContext } from './funding-provider.ts'
import { beginAction } from './move-action.ts'
import { enqueueAction } from './run-action.ts'

/** Base units. The withdrawal that must be denied. */
const PROBED_AMOUNT = 1n

type Payload = JobPayloads['probe_funding']

export const enqueueProbe = (
  ctx: Pick<Context, 'clock' | 'config'>,
  tx: Tx,
  payload: Payload,
  inSeconds = ctx.config.funding.probeEverySeconds,
): void =>
  enqueue(tx, 'probe_funding', payload, {
    key: `probe_funding:${payload.controlId}`,
    runAt: addSeconds(ctx.clock.now(), inSeconds),
    isPeriodic: true,
  })

/** Ends with the control: a signer without one is not tested. */
export async function probeSigner(ctx: FundingContext, payload: Payload): Promise<void> {
  const { organizationId, controlId } = payload
  await ctx.db.transaction({ organizationId }, async (tx) => {
    const control = await lockControl(tx, payload)
    const isTried = control && (control.state === 'verified' || isProbeAwaited(control))
    if (!isTried || isExpired(control, ctx.clock.now())) return
    enqueueProbe(ctx, tx, payload)
    // While a test is open, no other is started: its action is retried.
    if (await findOpenProbe(tx, payload)) return
    const { vaultId, walletId } = control
    const id = ctx.ids.next()
    await beginAction(ctx, tx, {
      id,
      organizationId,
      vaultId,
      controlId,
      walletId,
      amount: PROBED_AMOUNT,
      action: 'withdraw_probe',
      approvalTransactionHash: null,
      asked: null,
      actor: SYSTEM,
      at: ctx.clock.now(),
    })
    enqueueAction(ctx, tx, { organizationId, actionId: id }, 0)
  })
}
