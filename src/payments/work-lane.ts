/** Job: one pass over an executor's lane, and when the next one is due. */
import type { Context } from '#context.ts'
import type { JobPayloads } from '#platform/jobs.ts'
import { findLane } from './lane.store.ts'
import type { LaneSettings, Sign } from './lane.ts'
import { createLaneBooks } from './lane-books.ts'
import { wakeLane } from './release-payment.ts'
import { runLanePass } from './run-lane.ts'

type LaneContext = Pick<
  Context,
  'db' | 'clock' | 'ids' | 'chain' | 'executor' | 'laneChain' | 'reactions'
>

export const LANE_SETTINGS: LaneSettings = {
  leaseMs: 15_000,
  inFlightMax: 16,
  lookEveryMs: 250,
  lookAtBlockedEveryMs: 30_000,
  resendAfterMs: 5_000,
  loseAfterMs: 60_000,
  replaceAfterMs: 30_000,
}

export async function workLane(
  ctx: LaneContext,
  { organizationId, laneId }: JobPayloads['work_lane'],
): Promise<void> {
  const lane = await ctx.db.transaction({ organizationId }, (tx) =>
    findLane(tx, { organizationId, laneId }),
  )
  if (!lane) return
  const { chainId } = ctx.chain
  const sign: Sign = (input) =>
    ctx.executor.sign({ ...input, organizationId, reference: lane.reference, chainId })
  const { againInMs } = await runLanePass(
    {
      store: createLaneBooks(ctx, organizationId),
      chain: ctx.laneChain,
      sign,
      monotonicMs: () => performance.now(),
      settings: LANE_SETTINGS,
    },
    { laneId },
  )
  if (againInMs === null) return
  await ctx.db.transaction({ organizationId }, (tx) =>
    wakeLane(tx, { organizationId, laneId }, againInMs / 1000),
  )
}
