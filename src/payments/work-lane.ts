/** Job: runs passes over an executor's lane and schedules the next one. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Context } from '#context.ts'
import { findLane } from '#executor/lane.ts'
import { withActivations } from '#payments/activations/activation-lane.ts'
import type { LaneDeps, LaneExecutor, LaneSettings } from '#payments/engine/lane.ts'
import { type PassResult, runLanePass } from '#payments/engine/run-lane.ts'
import type { LaneStoreContext } from '#payments/lane-store/fenced-write.ts'
import { createLaneExecutor, laneSigner } from '#payments/lane-store/lane-executor.ts'
import { createLaneStore } from '#payments/lane-store/lane-store.ts'
import type { JobPayloads } from '#platform/jobs/jobs.ts'
import { wakeLane } from './release-payment.ts'

type LaneContext = LaneStoreContext & Pick<Context, 'config' | 'executor' | 'paymentChain'>

export const LANE_SETTINGS: LaneSettings = {
  leaseMs: 15_000,
  inFlightMax: 16,
  pollEveryMs: 250,
  pollBlockedEveryMs: 30_000,
  resendAfterMs: 5_000,
  loseAfterMs: 60_000,
  replaceAfterMs: 30_000,
}

/** Providers limit the request rate, and their reports are no faster than the chain. */
function settingsFor({ config }: LaneContext, executor: LaneExecutor): LaneSettings {
  if (executor.kind === 'signs') return LANE_SETTINGS
  if (executor.kind === 'unavailable') return { ...LANE_SETTINGS, pollEveryMs: 10_000 }
  const pollEveryMs = Math.max(LANE_SETTINGS.pollEveryMs, config.chain.followEveryMs)
  return { ...LANE_SETTINGS, pollEveryMs, inFlightMax: executor.provider.inFlightMax }
}

/** How long one job keeps a busy lane, and how many lanes this worker keeps now. */
const KEEP_MS = 2_000
let keptLanes = 0

/** `stopping` aborts when the worker shuts down: it ends waits for a provider. */
export async function workLane(
  ctx: LaneContext,
  { organizationId, laneId }: JobPayloads['work_lane'],
  stopping: AbortSignal,
): Promise<void> {
  const lane = await ctx.db.read({ organizationId }, (reader) =>
    findLane(reader, { organizationId, laneId }),
  )
  if (!lane) return
  const sign = laneSigner(ctx, { organizationId, lane })
  const payments = createLaneStore(ctx, organizationId, sign)
  const store = withActivations(payments, { ctx, organizationId, sign })
  const executor = createLaneExecutor(ctx, { organizationId, lane, stopping, store })
  const deps: LaneDeps = {
    store,
    chain: ctx.paymentChain,
    executor,
    monotonicMs: () => performance.now(),
    settings: settingsFor(ctx, executor),
  }
  const { againInMs, isCrowded } = await runPasses(ctx, deps, laneId)
  if (againInMs === null) return
  const delaySeconds = isCrowded ? undefined : againInMs / 1000
  await ctx.db.transaction({ organizationId }, (tx) =>
    wakeLane(tx, { organizationId, laneId }, delaySeconds),
  )
}

/** Repeats passes while payments are queued, because the job queue would add a delay to each. */
async function runPasses(
  { config }: LaneContext,
  deps: LaneDeps,
  laneId: string,
): Promise<PassResult> {
  const everyMs = Math.min(deps.settings.pollEveryMs, config.chain.followEveryMs)
  const untilMs = performance.now() + KEEP_MS
  // Half of the slots stay free for other lanes. Providers are not polled at this pace.
  if (deps.executor.kind !== 'signs' || keptLanes >= config.workerConcurrency / 2) {
    return { ...(await runLanePass(deps, { laneId })), isCrowded: false }
  }
  keptLanes += 1
  try {
    for (;;) {
      const begunMs = performance.now()
      const result = await runLanePass(deps, { laneId })
      if (!result.isCrowded || performance.now() >= untilMs) return result
      await wait(Math.max(0, begunMs + everyMs - performance.now()))
    }
  } finally {
    keptLanes -= 1
  }
}
