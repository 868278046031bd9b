/** SQL of activations and their attempts. */
import sql from 'sql-template-tag'
import type { LaneKey } from '#executor/lane.ts'
import type { SignedAttempt } from '#payments/engine/attempt.ts'
import type { Tx } from '#platform/database/database.ts'
import type { ActivationState } from './activation.machine.ts'

export type ActivationRow = {
  /** The id of the proposal's row. */
  id: string
  organizationId: string
  vaultId: string
  laneId: string | null
  epoch: number
  state: ActivationState
  stateSinceMs: number
  code: string | null
  hasOpenAttempt: boolean
  postponedTimes: number
  /** Null if it is due now. */
  dueInMs: number | null
}

const columns = sql`
  id, organization_id as "organizationId", vault_id as "vaultId", lane_id as "laneId", epoch,
  state, (extract(epoch from state_since) * 1000)::bigint as "stateSinceMs", code,
  has_open_attempt as "hasOpenAttempt", postponed_times as "postponedTimes",
  case when postponed_until > now()
    then ceil(extract(epoch from postponed_until - now()) * 1000)::integer end as "dueInMs"`

type ActivationKey = { organizationId: string; id: string }

/** False if it exists already. */
export async function insertActivation(
  tx: Tx,
  row: ActivationKey & { vaultId: string; laneId: string | null; code: string | null },
): Promise<boolean> {
  const rows = await tx.query(sql`
    insert into policy_activations (organization_id, id, vault_id, lane_id, state, code)
    values (${row.organizationId}, ${row.id}, ${row.vaultId}, ${row.laneId}, 'queued', ${row.code})
    on conflict do nothing returning id`)
  return rows.length > 0
}

/** Held until the transaction ends. */
export async function lockActivation(
  tx: Tx,
  { organizationId, id }: ActivationKey,
): Promise<ActivationRow | undefined> {
  const [row] = await tx.query<ActivationRow>(sql`
    select ${columns} from policy_activations
    where organization_id = ${organizationId} and id = ${id} for update`)
  return row
}

/** Those that the lane sends or settles. Ended proposals need no activation. */
export const listActivationsOf = (
  tx: Tx,
  { organizationId, laneId }: LaneKey,
): Promise<ActivationRow[]> =>
  tx.query<ActivationRow>(sql`
    select ${columns} from policy_activations
    where organization_id = ${organizationId} and lane_id = ${laneId}
      and (state in ('queued', 'submitting', 'broadcast', 'reconciling') or has_open_attempt)
      and (state <> 'queued' or exists (
        select from vault_proposals w where w.organization_id = policy_activations.organization_id
          and w.id = policy_activations.id and w.state = 'waiting'))
    order by id`)

/** Only `moveActivation` calls this. */
export async function updateActivation(
  tx: Tx,
  {
    activation,
    to,
    code,
    hasOpenAttempt,
    isRequeued,
  }: {
    activation: Pick<ActivationRow, 'organizationId' | 'id' | 'state' | 'epoch'>
    to: ActivationState
    code: string | null
    hasOpenAttempt: boolean
    isRequeued: boolean
  },
): Promise<boolean> {
  const rows = await tx.query(sql`
    update policy_activations set state = ${to}, code = ${code},
      has_open_attempt = ${hasOpenAttempt}, updated_at = now(),
      state_since = case when state = ${to} then state_since else now() end,
      epoch = epoch + ${isRequeued ? 1 : 0},
      postponed_times = case when ${isRequeued} then 0 else postponed_times end,
      postponed_until = case when ${isRequeued} then null else postponed_until end
    where organization_id = ${activation.organizationId} and id = ${activation.id}
      and state = ${activation.state} and epoch = ${activation.epoch}
    returning id`)
  return rows.length > 0
}

export function updateActivationLane(
  tx: Tx,
  { organizationId, id, laneId }: ActivationKey & { laneId: string },
): void {
  tx.write(sql`
    update policy_activations set lane_id = ${laneId}
    where organization_id = ${organizationId} and id = ${id} and state = 'queued'`)
}

/** Backs off for 2 s, 4 s, 8 s and so on, at most a minute. */
export function postponeActivation(tx: Tx, { organizationId, id }: ActivationKey): void {
  tx.write(sql`
    update policy_activations set postponed_times = postponed_times + 1,
      postponed_until = now()
        + make_interval(secs => least(60, 2 ^ (1 + least(postponed_times, 8))))
    where organization_id = ${organizationId} and id = ${id}`)
}

export type ActivationAttempt = Omit<SignedAttempt, 'fees' | 'kind'> & {
  activationId: string
  maxFeePerGas: bigint
  maxPriorityFeePerGas: bigint
}

/** Attempts that may still be mined, oldest first. */
export const listActivationAttempts = (
  tx: Tx,
  { organizationId, activationIds }: { organizationId: string; activationIds: readonly string[] },
): Promise<ActivationAttempt[]> =>
  tx.query<ActivationAttempt>(sql`
    select id, activation_id as "activationId", nonce, fee_rank as "feeRank",
      max_fee_per_gas as "maxFeePerGas", max_priority_fee_per_gas as "maxPriorityFeePerGas",
      transaction_hash as "transactionHash", raw,
      (extract(epoch from created_at) * 1000)::bigint as "writtenAtMs",
      (extract(epoch from sent_at) * 1000)::bigint as "sentAtMs"
    from activation_attempts
    where organization_id = ${organizationId}
      and activation_id = any(${[...activationIds]}::uuid[]) and not is_cleared
    order by nonce, fee_rank`)

/** Returns the time of the insert. */
export async function insertActivationAttempt(
  tx: Tx,
  row: Omit<ActivationAttempt, 'writtenAtMs' | 'sentAtMs'> & LaneKey,
): Promise<number> {
  const [inserted] = await tx.query<{ writtenAtMs: number }>(sql`
    insert into activation_attempts (organization_id, id, activation_id, lane_id, nonce, fee_rank,
      max_fee_per_gas, max_priority_fee_per_gas, transaction_hash, raw)
    values (${row.organizationId}, ${row.id}, ${row.activationId}, ${row.laneId}, ${row.nonce},
      ${row.feeRank}, ${row.maxFeePerGas}, ${row.maxPriorityFeePerGas}, ${row.transactionHash},
      ${row.raw})
    returning (extract(epoch from created_at) * 1000)::bigint as "writtenAtMs"`)
  return inserted?.writtenAtMs ?? 0
}

export function markActivationSent(
  tx: Tx,
  { organizationId, attemptId }: { organizationId: string; attemptId: string },
): void {
  tx.write(sql`
    update activation_attempts set sent_at = now()
    where organization_id = ${organizationId} and id = ${attemptId}`)
}

/** None of them can be mined any more, or one was. */
export function clearActivationAttempts(tx: Tx, { organizationId, id }: ActivationKey): void {
  tx.write(sql`
    update activation_attempts set is_cleared = true
    where organization_id = ${organizationId} and activation_id = ${id}`)
}
