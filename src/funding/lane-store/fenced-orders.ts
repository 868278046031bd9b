/** Writes about an order under the lane's fencing token, with its rows locked. */
import type { FundingContext } from '#funding/funding-provider.ts'
import type { FencingToken, LanePayment } from '#payments/engine/lane.ts'
import type { Tx } from '#platform/database/database.ts'
import type { FundingProvider, SigningProvider } from '#ports/funding-provider.ts'
import { lockFundingLane } from './lanes.store.ts'
import {
  type CalledOrder,
  lockOrder,
  type Order,
  type OrderKey,
  orderId,
  orderKey,
} from './orders.ts'
import { listInFlight } from './transactions.store.ts'

export type FundingLane = {
  ctx: FundingContext
  organizationId: string
  /** The signing wallet; its id is the lane's id. */
  walletId: string
  address: string
  /** Undefined where the wallet's provider is not configured: nothing is signed then. */
  provider: (FundingProvider & SigningProvider) | undefined
  /** The order to sign. A transaction in flight is settled first. */
  order: CalledOrder | undefined
}

export type LockedOrder = { tx: Tx; order: Order }

/** `stale`: another worker has claimed the lane, or the order has ended. */
export async function writeOrder<T>(
  lane: FundingLane,
  { token, payment }: { token: FencingToken; payment: LanePayment },
  work: (locked: LockedOrder) => Promise<T>,
): Promise<T | 'stale'> {
  const { ctx, organizationId } = lane
  return ctx.db.transaction({ organizationId }, async (tx) => {
    if (!(await lockFundingLane(tx, { organizationId, token }))) return 'stale'
    const key = await keyOfPayment(lane, tx, payment)
    return key ? work({ tx, order: await lockOrder(tx, key) }) : 'stale'
  })
}

/** The key of the order in flight or about to be signed. */
async function keyOfPayment(
  { organizationId, walletId, order }: FundingLane,
  tx: Tx,
  { id }: LanePayment,
): Promise<OrderKey | undefined> {
  const [inFlight] = await listInFlight(tx, { organizationId, walletId })
  if (inFlight) return orderId(inFlight) === id ? inFlight : undefined
  if (!order) return undefined
  const key = orderKey(order)
  return orderId(key) === id ? key : undefined
}
