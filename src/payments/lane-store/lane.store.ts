/** SQL of a lane's payments. */
import sql from 'sql-template-tag'
import type { LaneKey, LaneRow } from '#executor/lane.ts'
import { type PaymentRow, paymentColumns } from '#payments/payments.store.ts'
import type { Tx } from '#platform/database/database.ts'

export type LanePaymentRow = PaymentRow & {
  vaultAddress: string
  chainId: number
  stateSinceMs: number
  postponedTimes: number
  /** False while it is postponed, or while a policy change has not been applied to it. */
  isDue: boolean
  dueInMs: number | null
}

const lanePayment = sql`
  ${paymentColumns}, v.address as "vaultAddress", v.chain_id as "chainId",
  (extract(epoch from p.state_since) * 1000)::bigint as "stateSinceMs",
  p.postponed_times as "postponedTimes",
  coalesce(p.postponed_until <= now(), true) and p.policy_version >= v.policy_version as "isDue",
  least(86400000, greatest(0, ceil(extract(epoch from p.postponed_until - now()) * 1000)))::integer
    as "dueInMs"`

const withVault = sql`
  payments p join vaults v on v.organization_id = p.organization_id and v.id = p.vault_id`

/** Payments in flight, and blocked payments that may have paid. */
export async function listUnsettled(
  tx: Tx,
  { organizationId, laneId }: LaneKey,
): Promise<LanePaymentRow[]> {
  return tx.query<LanePaymentRow>(sql`
    select ${lanePayment} from ${withVault}
    where p.organization_id = ${organizationId} and p.lane_id = ${laneId}
      and (p.state in ('submitting', 'broadcast', 'reconciling') or (p.state = 'blocked'
        and (p.has_open_attempt or p.block_code = 'payment_already_executed')))`)
}

export async function listQueued(
  tx: Tx,
  { organizationId, laneId, limit }: LaneKey & { limit: number },
): Promise<LanePaymentRow[]> {
  return tx.query<LanePaymentRow>(sql`
    select ${lanePayment} from ${withVault}
    where p.organization_id = ${organizationId} and p.lane_id = ${laneId} and p.state = 'queued'
    order by p.policy_version >= v.policy_version desc,
      coalesce(p.postponed_until <= now(), true) desc, p.released_at limit ${limit}`)
}

/** From the first attempt on, the executor of a payment is fixed. */
export function fixExecutor(
  tx: Tx,
  {
    organizationId,
    lane,
    attempts,
  }: {
    organizationId: string
    lane: Pick<LaneRow, 'id' | 'address' | 'providerType'>
    attempts: readonly { paymentId: string; transactionHash: string | null }[]
  },
): void {
  tx.write(sql`
    update payments as p set executor_binding_id = ${lane.id},
      executor_provider_type = ${lane.providerType}, executor_address = ${lane.address},
      transaction_hash = n.hash, has_open_attempt = true
    from unnest(${attempts.map(({ paymentId }) => paymentId)}::uuid[],
      ${attempts.map(({ transactionHash }) => transactionHash)}::text[]) as n (payment_id, hash)
    where p.organization_id = ${organizationId} and p.id = n.payment_id`)
}

/** Backs off for 2 s, 4 s, 8 s and so on, at most a minute. */
export function postponePayment(
  tx: Tx,
  { organizationId, paymentId }: { organizationId: string; paymentId: string },
): void {
  tx.write(sql`
    update payments set postponed_times = postponed_times + 1,
      postponed_until = now()
        + make_interval(secs => least(60, 2 ^ (1 + least(postponed_times, 8))))
    where organization_id = ${organizationId} and id = ${paymentId}`)
}

export function postponeToNextPeriod(
  tx: Tx,
  {
    organizationId,
    paymentId,
    endsAt,
  }: { organizationId: string; paymentId: string; endsAt: string },
): void {
  tx.write(sql`
    update payments set period_ends_at = ${endsAt}, postponed_until = ${endsAt},
      postponed_times = 0
    where organization_id = ${organizationId} and id = ${paymentId}`)
}

/** No attempt can pay any more: it waits like a payment that was never sent. */
export function reopenPayment(
  tx: Tx,
  {
    organizationId,
    paymentId,
    endsAt,
  }: { organizationId: string; paymentId: string; endsAt: string },
): void {
  postponeToNextPeriod(tx, { organizationId, paymentId, endsAt })
  tx.write(sql`
    update payments set has_open_attempt = false, is_given_up = false, transaction_hash = null,
      executor_binding_id = null, executor_provider_type = null, executor_address = null,
      provider_reference = null
    where organization_id = ${organizationId} and id = ${paymentId}`)
}

/** No attempt of these payments can pay any more, or they have paid. */
export function closePayments(
  tx: Tx,
  {
    organizationId,
    payments,
  }: {
    organizationId: string
    payments: readonly { paymentId: string; minedHash: string | null }[]
  },
): void {
  tx.write(sql`
    update payments as p set has_open_attempt = false,
      transaction_hash = coalesce(n.mined_hash, p.transaction_hash)
    from unnest(${payments.map(({ paymentId }) => paymentId)}::uuid[],
      ${payments.map(({ minedHash }) => minedHash)}::text[]) as n (payment_id, mined_hash)
    where p.organization_id = ${organizationId} and p.id = n.payment_id`)
}

/** Payments whose log the follower has applied: their amount is in the spent total. */
export async function listApplied(
  tx: Tx,
  { organizationId, paymentIds }: { organizationId: string; paymentIds: readonly string[] },
): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(sql`
    select p.id from payments p join vault_payments v on v.organization_id = p.organization_id
      and v.vault_id = p.vault_id and v.chain_payment_id = p.chain_payment_id
    where p.organization_id = ${organizationId} and p.id = any(${paymentIds}::uuid[])`)
  return rows.map(({ id }) => id)
}

/** Locks in id order, as every caller must; their expenses are locked before. */
export async function lockLanePayments(
  tx: Tx,
  { organizationId, paymentIds }: { organizationId: string; paymentIds: readonly string[] },
): Promise<LanePaymentRow[]> {
  return tx.query<LanePaymentRow>(sql`
    select ${lanePayment} from ${withVault}
    where p.organization_id = ${organizationId} and p.id = any(${paymentIds}::uuid[])
    order by p.id for update of p`)
}
