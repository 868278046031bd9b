/** Takes and renews the lease of a lane. */
import type { LaneDeps, Lease } from './lane.ts'

type Holder = Pick<LaneDeps, 'store' | 'monotonicMs' | 'settings'>

export async function takeLease(
  { store, monotonicMs, settings: { leaseMs } }: Holder,
  laneId: string,
): Promise<{ lease: Lease } | { freeInMs: number }> {
  const endsAtMs = monotonicMs() + leaseMs
  const claim = await store.claimLane({ laneId, leaseMs })
  if (claim.outcome === 'busy') return { freeInMs: claim.freeInMs }
  return { lease: { token: claim.token, endsAtMs } }
}

/** Called before slow or external work. Renews the lease in its second half; false if lost. */
export async function keepLease(
  { store, monotonicMs, settings: { leaseMs } }: Holder,
  lease: Lease,
): Promise<boolean> {
  const now = monotonicMs()
  if (lease.endsAtMs - now < leaseMs / 2) {
    if ((await store.renewLane({ token: lease.token, leaseMs })) === 'stale') return false
    lease.endsAtMs = now + leaseMs
  }
  return monotonicMs() < lease.endsAtMs
}
