/**
 * Rule 11: when the chain has seen more of the key than the database, a backup was restored or
 * somebody else uses the key. Then the lane only looks: nothing new is sent, and nothing is called
 * failed, for there may be attempts that we do not know of.
 */
import type { HoldStore, Pass } from './lane.ts'

export type Comparison = 'even' | 'ahead' | 'stale'

export async function compareNonces(
  { lease, lane, view }: Pass,
  holds: HoldStore | null,
): Promise<Comparison> {
  // Others may use the account at any time: their nonces say nothing about this lane.
  if (!holds) return 'even'
  if (view.outcome !== 'seen') return lane.isHeld ? 'ahead' : 'even'
  const input = { fence: lease.fence, chainNonce: view.finalizedNonce }
  if (lane.isHeld) {
    const { finalizedNumber } = view
    const released = await holds.releaseHold({ ...input, finalizedNumber })
    return released === 'stale' ? 'stale' : 'ahead'
  }
  if (view.finalizedNonce > lane.nextNonce) {
    return (await holds.holdLane(input)) === 'stale' ? 'stale' : 'ahead'
  }
  return view.headNonce.highest > lane.nextNonce ? 'ahead' : 'even'
}
