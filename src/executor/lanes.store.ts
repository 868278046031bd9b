/** SQL of lanes: the lease, the nonces and the hold of one executor address. */
import sql from 'sql-template-tag'
import type { ExecutorProviderType } from '#platform/config/providers.ts'
import type { Reader, Tx } from '#platform/database/database.ts'

export type LaneKey = { organizationId: string; laneId: string }

/** `epoch` when it was free and is ours now; else how long the other's lease lasts. */
export async function claimLane(
  tx: Tx,
  { organizationId, laneId, leaseMs }: LaneKey & { leaseMs: number },
): Promise<{ epoch: number } | { freeInMs: number }> {
  const [claimed] = await tx.query<{ epoch: number }>(sql`
    update executor_bindings set lane_epoch = lane_epoch + 1,
      lease_until = now() + make_interval(secs => ${leaseMs / 1000}::double precision)
    where organization_id = ${organizationId} and id = ${laneId}
      and (lease_until is null or lease_until <= now())
    returning lane_epoch as epoch`)
  if (claimed) return claimed
  const [row] = await tx.query<{ freeInMs: number }>(sql`
    select greatest(1, ceil(extract(epoch from lease_until - now()) * 1000))::integer as "freeInMs"
    from executor_bindings where organization_id = ${organizationId} and id = ${laneId}`)
  return row ?? { freeInMs: 1_000 }
}

/** Zero ends it. False when somebody else has claimed the lane since. */
export async function extendLease(
  tx: Tx,
  { organizationId, laneId, epoch, leaseMs }: LaneKey & { epoch: number; leaseMs: number },
): Promise<boolean> {
  const rows = await tx.query(sql`
    update executor_bindings
    set lease_until = now() + make_interval(secs => ${leaseMs / 1000}::double precision)
    where organization_id = ${organizationId} and id = ${laneId} and lane_epoch = ${epoch}
    returning id`)
  return rows.length > 0
}

export type LaneRow = {
  id: string
  address: string
  providerType: ExecutorProviderType
  reference: Buffer
  nextNonce: number
  isHeld: boolean
  finalizedFloor: number
  nowMs: number
}

const laneColumns = sql`
  id, address, provider_type as "providerType", provider_reference as reference,
  next_nonce as "nextNonce", is_held as "isHeld", finalized_floor as "finalizedFloor",
  (extract(epoch from now()) * 1000)::bigint as "nowMs"`

/** Undefined when the token is stale. Held until the transaction ends: the lane has one writer. */
export async function lockLane(
  tx: Tx,
  { organizationId, token }: { organizationId: string; token: { laneId: string; epoch: number } },
): Promise<LaneRow | undefined> {
  const [row] = await tx.query<LaneRow>(sql`
    select ${laneColumns} from executor_bindings
    where organization_id = ${organizationId} and id = ${token.laneId}
      and lane_epoch = ${token.epoch} for no key update`)
  return row
}

export async function findLane(
  tx: Reader,
  { organizationId, laneId }: LaneKey,
): Promise<LaneRow | undefined> {
  const [row] = await tx.query<LaneRow>(sql`
    select ${laneColumns} from executor_bindings
    where organization_id = ${organizationId} and id = ${laneId}`)
  return row
}

/** The next ones in a row. */
export function takeNonces(
  tx: Tx,
  { organizationId, laneId, count }: LaneKey & { count: number },
): void {
  tx.write(sql`
    update executor_bindings set next_nonce = next_nonce + ${count}
    where organization_id = ${organizationId} and id = ${laneId}`)
}

export function updateHold(
  tx: Tx,
  { organizationId, laneId, isHeld, nextNonce }: LaneKey & { isHeld: boolean; nextNonce: number },
): void {
  tx.write(sql`
    update executor_bindings set is_held = ${isHeld}, next_nonce = ${nextNonce}
    where organization_id = ${organizationId} and id = ${laneId}`)
}

/** The lane has one writer at a time; the holder of its lease waits for this transaction. */
export function lockLaneRow(tx: Tx, { organizationId, laneId }: LaneKey): void {
  tx.write(sql`
    select 1 as found from executor_bindings
    where organization_id = ${organizationId} and id = ${laneId} for no key update`)
}

export function raiseFloor(
  tx: Tx,
  { organizationId, laneId, blockNumber }: LaneKey & { blockNumber: number },
): void {
  tx.write(sql`
    update executor_bindings
    set finalized_floor = greatest(finalized_floor, ${blockNumber}::bigint)
    where organization_id = ${organizationId} and id = ${laneId}`)
}
