/** The engine's store for a funding wallet, with at most one nonce in flight. */
import type { FencingToken, Lane, LaneStore, WriteOutcome } from '#payments/engine/lane.ts'
import type { Tx } from '#platform/database/database.ts'
import {
  blockOrder,
  confirmOrders,
  failOrder,
  loseOrder,
  postponeOrder,
  recordOrderSends,
} from './end-orders.ts'
import type { FundingLane } from './fenced-orders.ts'
import { claimFundingLane, extendFundingLease, lockFundingLane } from './lanes.store.ts'
import { asQueued, asSigned, findOrder } from './orders.ts'
import { replaceOrder, signOrder } from './sign-orders.ts'
import { findNonceAfter, listInFlight } from './transactions.store.ts'

/** The follower does not settle deposits, so its position is no limit. */
const NO_LIMIT = Number.MAX_SAFE_INTEGER

export function createFundingLaneStore(lane: FundingLane): LaneStore {
  const { ctx, organizationId } = lane
  const fenced = (work: (tx: Tx) => Promise<boolean>): Promise<WriteOutcome> =>
    ctx.db.transaction({ organizationId }, async (tx) => ((await work(tx)) ? 'done' : 'stale'))

  return {
    async claimLane({ laneId, leaseMs }) {
      const claim = await ctx.db.transaction({ organizationId }, (tx) =>
        claimFundingLane(tx, { organizationId, laneId, leaseMs }),
      )
      return 'epoch' in claim
        ? { outcome: 'claimed', token: { laneId, epoch: claim.epoch } }
        : { outcome: 'busy', ...claim }
    },
    renewLane: ({ token, leaseMs }) =>
      fenced((tx) => extendFundingLease(tx, { organizationId, ...token, leaseMs })),
    releaseLane: ({ token }) =>
      fenced((tx) => extendFundingLease(tx, { organizationId, ...token, leaseMs: 0 })),
    loadLane: ({ token }) => load(lane, token),
    writeAhead: (input) => signOrder(lane, input),
    writeReplacement: (input) => replaceOrder(lane, input),
    recordSends: (input) => recordOrderSends(lane, input),
    postpone: (input) => postponeOrder(lane, input),
    // Periods limit what leaves a vault, not what comes in.
    awaitPeriod: async () => 'done',
    requeue: async () => 'done',
    lose: (input) => loseOrder(lane, input),
    block: (input) => blockOrder(lane, input),
    // Orders are never blocked: one with an unknown outcome is always observed.
    reconcile: async () => 'done',
    fail: (input) => failOrder(lane, input),
    confirm: (input) => confirmOrders(lane, input),
  }
}

async function load(lane: FundingLane, token: FencingToken): Promise<Lane | 'stale'> {
  const { ctx, organizationId, walletId, address } = lane
  const found = await ctx.db.transaction({ organizationId }, async (tx) => {
    const row = await lockFundingLane(tx, { organizationId, token })
    if (!row) return 'stale'
    const signed = await listInFlight(tx, { organizationId, walletId })
    const [first] = signed
    const order = first && (await findOrder(tx, first))
    const nonceAfter = await findNonceAfter(tx, { organizationId, walletId })
    return { ...row, signed, order, nextNonce: first ? first.nonce + 1 : nonceAfter }
  })
  if (found === 'stale') return 'stale'
  const { nowMs, nextNonce, finalizedFloor, signed, order } = found
  const inFlight = order ? [await asSigned(ctx.chain, { order, signed, nowMs })] : []
  const isFree = inFlight.length === 0
  return {
    id: walletId,
    address,
    nowMs,
    nextNonce,
    isHeld: false,
    finalizedFloor,
    followedTo: NO_LIMIT,
    unsettled: inFlight,
    queued: isFree && lane.order ? [asQueued(lane.order, nowMs)] : [],
    queuedDueInMs: null,
  }
}
