/** The engine's store for the wallet of a funding signer: one nonce in flight at a time. */
import type { Fence, Lane, LaneStore, Written } from '#payments/engine/lane.ts'
import type { Tx } from '#platform/database/database.ts'
import { block, confirm, fail, lose, postpone, recordSends } from './end-orders.ts'
import type { FundingLane } from './fenced-orders.ts'
import { claimFundingLane, extendFundingLease, lockFundingLane } from './lanes.store.ts'
import { asQueued, asSigned, findOrder } from './orders.ts'
import { writeAhead, writeReplacement } from './sign-orders.ts'
import { listInFlight } from './transactions.store.ts'

/** Nothing in the database follows the chain for a deposit: the chain's own height is the limit. */
const NO_LIMIT = Number.MAX_SAFE_INTEGER

export function createFundingLaneStore(lane: FundingLane): LaneStore {
  const { ctx, organizationId } = lane
  const fenced = (work: (tx: Tx) => Promise<boolean>): Promise<Written> =>
    ctx.db.transaction({ organizationId }, async (tx) => ((await work(tx)) ? 'done' : 'stale'))

  return {
    async claimLane({ laneId, leaseMs }) {
      const claim = await ctx.db.transaction({ organizationId }, (tx) =>
        claimFundingLane(tx, { organizationId, laneId, leaseMs }),
      )
      return 'epoch' in claim
        ? { outcome: 'claimed', fence: { laneId, epoch: claim.epoch } }
        : { outcome: 'busy', ...claim }
    },
    renewLane: ({ fence, leaseMs }) =>
      fenced((tx) => extendFundingLease(tx, { organizationId, ...fence, leaseMs })),
    releaseLane: ({ fence }) =>
      fenced((tx) => extendFundingLease(tx, { organizationId, ...fence, leaseMs: 0 })),
    loadLane: ({ fence }) => load(lane, fence),
    writeAhead: (input) => writeAhead(lane, input),
    writeReplacement: (input) => writeReplacement(lane, input),
    recordSends: (input) => recordSends(lane, input),
    postpone: (input) => postpone(lane, input),
    lose: (input) => lose(lane, input),
    block: (input) => block(lane, input),
    // No order is ever blocked: one whose outcome is unknown is looked after all the time.
    reconcile: async () => 'done',
    fail: (input) => fail(lane, input),
    confirm: (input) => confirm(lane, input),
  }
}

async function load(lane: FundingLane, fence: Fence): Promise<Lane | 'stale'> {
  const { ctx, organizationId, walletId, address } = lane
  const found = await ctx.db.transaction({ organizationId }, async (tx) => {
    const row = await lockFundingLane(tx, { organizationId, fence })
    if (!row) return 'stale'
    const transactions = await listInFlight(tx, { organizationId, walletId })
    const [first] = transactions
    return { row, transactions, inFlight: first && (await findOrder(tx, first)) }
  })
  if (found === 'stale') return 'stale'
  const { row, transactions, inFlight } = found
  const { nowMs, finalizedFloor } = row
  const [first, ...others] = transactions
  const isSigned = inFlight !== undefined && first !== undefined
  return {
    id: walletId,
    address,
    nowMs,
    nextNonce: isSigned ? first.nonce + 1 : 0,
    isHeld: false,
    finalizedFloor,
    followedTo: NO_LIMIT,
    unsettled: isSigned ? [await asSigned(ctx.chain, inFlight, [first, ...others], nowMs)] : [],
    queued: isSigned || !lane.order ? [] : [asQueued(lane.order, lane.order.call, nowMs)],
    queuedDueInMs: null,
  }
}
