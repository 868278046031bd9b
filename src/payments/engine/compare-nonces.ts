/**
 * Rule 11: when the chain has seen more of the key than the database, a backup was restored or
 * somebody else uses the key. Then the lane only looks: nothing new is sent, and nothing is called
 * failed, for there may be attempts that we do not know of.
 */
import type { Pass } from './lane.ts'

export type Comparison = 'even' | 'ahead' | 'stale'

export async function compareNonces({ world, lease, lane, view }: Pass): Promise<Comparison> {
  if (view.outcome !== 'seen') return lane.isHeld ? 'ahead' : 'even'
  const input = { fence: lease.fence, chainNonce: view.finalizedNonce }
  if (lane.isHeld) {
    const { finalizedNumber } = view
    const released = await world.store.releaseHold({ ...input, finalizedNumber })
    return released === 'stale' ? 'stale' : 'ahead'
  }
  if (view.finalizedNonce > lane.nextNonce) {
    return (await world.store.holdLane(input)) === 'stale' ? 'stale' : 'ahead'
  }
  return view.headNonce.highest > lane.nextNonce ? 'ahead' : 'even'
}
