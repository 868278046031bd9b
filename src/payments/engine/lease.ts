/** Taking and keeping the right to work a lane. */
import type { LaneWorld, Lease } from './lane.ts'

type Holder = Pick<LaneWorld, 'store' | 'monotonicMs' | 'settings'>

export async function takeLease(
  { store, monotonicMs, settings: { leaseMs } }: Holder,
  laneId: string,
): Promise<{ lease: Lease } | { freeInMs: number }> {
  const endsAtMs = monotonicMs() + leaseMs
  const claim = await store.claimLane({ laneId, leaseMs })
  if (claim.outcome === 'busy') return { freeInMs: claim.freeInMs }
  return { lease: { fence: claim.fence, endsAtMs } }
}

/** Called before anything slow or outside: true only while the lane is ours for a while longer. */
export async function keepLease(
  { store, monotonicMs, settings: { leaseMs } }: Holder,
  lease: Lease,
): Promise<boolean> {
  const now = monotonicMs()
  if (lease.endsAtMs - now < leaseMs / 2) {
    if ((await store.renewLane({ fence: lease.fence, leaseMs })) === 'stale') return false
    lease.endsAtMs = now + leaseMs
  }
  return monotonicMs() < lease.endsAtMs
}
