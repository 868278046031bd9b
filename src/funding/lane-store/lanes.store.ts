/** SQL of the lanes of funding wallets: leases, fencing tokens and floors. */
import sql from 'sql-template-tag'
import type { FencingToken } from '#payments/engine/lane.ts'
import type { Tx } from '#platform/database/database.ts'

/** A lane's id is the id of its wallet. */
type LaneKey = { organizationId: string; laneId: string }

/** The new `epoch` if the lane was free; otherwise the remaining time of the lease. */
export async function claimFundingLane(
  tx: Tx,
  { organizationId, laneId, leaseMs }: LaneKey & { leaseMs: number },
): Promise<{ epoch: number } | { freeInMs: number }> {
  const [claimed] = await tx.query<{ epoch: number }>(sql`
    insert into funding_lanes as l (organization_id, wallet_id, lease_until)
    values (${organizationId}, ${laneId},
      now() + make_interval(secs => ${leaseMs / 1000}::double precision))
    on conflict (organization_id, wallet_id) do update
      set epoch = l.epoch + 1, lease_until = excluded.lease_until where l.lease_until <= now()
    returning epoch`)
  if (claimed) return claimed
  const [row] = await tx.query<{ freeInMs: number }>(sql`
    select greatest(1, ceil(extract(epoch from lease_until - now()) * 1000))::integer as "freeInMs"
    from funding_lanes where organization_id = ${organizationId} and wallet_id = ${laneId}`)
  return row ?? { freeInMs: 1_000 }
}

/** `leaseMs` 0 ends the lease. False when another worker has claimed the lane. */
export async function extendFundingLease(
  tx: Tx,
  { organizationId, laneId, epoch, leaseMs }: LaneKey & { epoch: number; leaseMs: number },
): Promise<boolean> {
  const rows = await tx.query(sql`
    update funding_lanes
    set lease_until = now() + make_interval(secs => ${leaseMs / 1000}::double precision)
    where organization_id = ${organizationId} and wallet_id = ${laneId} and epoch = ${epoch}
    returning wallet_id`)
  return rows.length > 0
}

/** Undefined when the fencing token is stale. Held until the transaction ends. */
export async function lockFundingLane(
  tx: Tx,
  { organizationId, token }: { organizationId: string; token: FencingToken },
): Promise<{ finalizedFloor: number; nowMs: number } | undefined> {
  const [row] = await tx.query<{ finalizedFloor: number; nowMs: number }>(sql`
    select finalized_floor as "finalizedFloor",
      (extract(epoch from now()) * 1000)::bigint as "nowMs"
    from funding_lanes where organization_id = ${organizationId} and wallet_id = ${token.laneId}
      and epoch = ${token.epoch} for no key update`)
  return row
}

export function raiseFundingFloor(
  tx: Tx,
  { organizationId, laneId, blockNumber }: LaneKey & { blockNumber: number },
): void {
  tx.write(sql`
    update funding_lanes set finalized_floor = greatest(finalized_floor, ${blockNumber}::bigint)
    where organization_id = ${organizationId} and wallet_id = ${laneId}`)
}
