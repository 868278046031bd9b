/** Job that refreshes the gas balance periodically, so that reads never wait for the chain. */
import { SYSTEM } from '#journal/actor.ts'
import { integrationChange, recordChange } from '#journal/journal.ts'
import type { Tx } from '#platform/database/database.ts'
import { isUnavailable } from '#platform/errors.ts'
import { enqueue, type JobPayloads } from '#platform/jobs/jobs.ts'
import { findActiveBinding, updateBindingBalance } from './executor.store.ts'
import type { ExecutorContext } from './move-provisioning.ts'

const WATCH_EVERY_SECONDS = 30
/** Enough for a few dozen payments at usual fees. */
export const GAS_LOW_WEI = 5_000_000_000_000_000n

type Payload = JobPayloads['watch_executor']

export const enqueueWatch = (tx: Tx, payload: Payload, inSeconds: number): Promise<void> =>
  enqueue(tx, 'watch_executor', payload, {
    key: `watch_executor:${payload.organizationId}`,
    delaySeconds: inSeconds,
    isPeriodic: true,
  })

async function readBalance(
  { chain, executor }: ExecutorContext,
  address: string,
): Promise<bigint | undefined> {
  if ((await chain.nativeBalance(address)) === 0n) await executor.fundGas({ address })
  return chain.nativeBalance(address)
}

/**
 * The queue backs off after failures; an unavailable chain is polled at the usual interval instead.
 */
const undefinedIfUnavailable = (error: unknown): undefined => {
  if (!isUnavailable(error)) throw error
}

export async function watchExecutor(ctx: ExecutorContext, payload: Payload): Promise<void> {
  const { organizationId } = payload
  const scope = { organizationId }
  const binding = await ctx.db.transaction(scope, (tx) => findActiveBinding(tx, organizationId))
  if (!binding) return
  const { id: bindingId, address } = binding
  const nativeBalanceWei = await readBalance(ctx, address).catch(undefinedIfUnavailable)
  await ctx.db.transaction(scope, async (tx) => {
    await enqueueWatch(tx, payload, WATCH_EVERY_SECONDS)
    if (nativeBalanceWei === undefined) return
    const at = ctx.clock.now()
    await updateBindingBalance(tx, { organizationId, bindingId, nativeBalanceWei, at })
    const isLow = binding.paysOwnGas && nativeBalanceWei < GAS_LOW_WEI
    const wasLow = binding.balanceReadAt !== null && binding.nativeBalanceWei < GAS_LOW_WEI
    if (!isLow || wasLow) return
    await recordChange(ctx, tx, {
      organizationId,
      actor: SYSTEM,
      action: 'executor.gas_low',
      aggregateType: 'executor',
      aggregateId: bindingId,
      data: { address, nativeBalanceWei: nativeBalanceWei.toString() },
      live: integrationChange({
        targetState: 'active',
        severity: 'action_required',
        code: 'executor_gas_low',
      }),
    })
  })
}
