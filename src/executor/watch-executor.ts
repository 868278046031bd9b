/**
 * Job that lets executors take over from one another, and refreshes their gas balances
 * periodically, so that reads never wait for the chain.
 */
import { SYSTEM } from '#journal/actor.ts'
import { integrationChange, recordChange } from '#journal/journal.ts'
import type { Tx } from '#platform/database/database.ts'
import { isUnavailable } from '#platform/errors.ts'
import { enqueue, type JobPayloads } from '#platform/jobs/jobs.ts'
import {
  type Binding,
  listBindings,
  lockLatestProvisioning,
  updateBindingBalance,
} from './executor.store.ts'
import type { ExecutorContext } from './move-provisioning.ts'
import { rotateExecutors } from './rotate-executors.ts'

const WATCH_EVERY_SECONDS = 30
/** Enough for a few dozen payments at usual fees. */
export const GAS_LOW_WEI = 5_000_000_000_000_000n

type Payload = JobPayloads['watch_executor']

export const enqueueWatch = (tx: Tx, payload: Payload, inSeconds: number): void =>
  enqueue(tx, 'watch_executor', payload, {
    key: `watch_executor:${payload.organizationId}`,
    delaySeconds: inSeconds,
    isPeriodic: true,
  })

/** An executor that drains or is retired needs no gas of ours, but what it has left is shown. */
const needsGas = ({ state }: Binding): boolean => state === 'active' || state === 'next'

async function readBalance(
  { chain, executor }: ExecutorContext,
  binding: Binding,
): Promise<bigint | undefined> {
  const { address } = binding
  const isEmpty = (await chain.nativeBalance(address)) === 0n
  if (isEmpty && needsGas(binding)) await executor.fundGas({ address })
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
  const bindings = await ctx.db.transaction(scope, async (tx) => {
    await rotateExecutors(ctx, tx, organizationId)
    return listBindings(tx, organizationId)
  })
  if (bindings.length === 0) return
  const balances = new Map<string, bigint | undefined>()
  for (const binding of bindings) {
    balances.set(binding.id, await readBalance(ctx, binding).catch(undefinedIfUnavailable))
  }
  await ctx.db.transaction(scope, async (tx) => {
    enqueueWatch(tx, payload, WATCH_EVERY_SECONDS)
    // Another pass may have changed a state or announced a low balance while this one was reading.
    await lockLatestProvisioning(tx, organizationId)
    for (const binding of await listBindings(tx, organizationId)) {
      const nativeBalanceWei = balances.get(binding.id)
      if (nativeBalanceWei !== undefined) await saveBalance(ctx, tx, binding, nativeBalanceWei)
    }
  })
}

/**
 * Announces a low balance once: when the first reading since the executor came into use is low, or
 * when the balance drops.
 */
async function saveBalance(
  ctx: ExecutorContext,
  tx: Tx,
  binding: Binding,
  nativeBalanceWei: bigint,
): Promise<void> {
  const { organizationId, id: bindingId, address } = binding
  const at = ctx.clock.now()
  updateBindingBalance(tx, { organizationId, bindingId, nativeBalanceWei, at })
  const isLow = binding.paysOwnGas && needsGas(binding) && nativeBalanceWei < GAS_LOW_WEI
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
}
