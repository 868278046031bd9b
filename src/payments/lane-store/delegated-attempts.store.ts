/** SQL of delegated attempts and of the provider reports about them. */
import sql from 'sql-template-tag'
import type { ReportedStatus } from '#payments/engine/attempt.ts'
import type { Tx } from '#platform/database/database.ts'

/** The number of attempts of each payment so far, 0 included. */
export async function findAttemptCounts(
  tx: Tx,
  { organizationId, paymentIds }: { organizationId: string; paymentIds: readonly string[] },
): Promise<ReadonlyMap<string, number>> {
  const rows = await tx.query<{ paymentId: string; count: number }>(sql`
    select p.id as "paymentId", coalesce(max(a.number), 0) as count
    from unnest(${paymentIds}::uuid[]) as p (id)
    left join payment_attempts a
      on a.organization_id = ${organizationId} and a.payment_id = p.id
    group by p.id`)
  return new Map(rows.map(({ paymentId, count }) => [paymentId, count]))
}

export type NewDelegatedAttempt = {
  id: string
  paymentId: string
  number: number
  idempotencyKey: string
  callHash: string
}

/** Returns the time of the insert. */
export async function insertDelegated(
  tx: Tx,
  {
    organizationId,
    lane,
    attempts,
  }: {
    organizationId: string
    lane: { id: string; address: string }
    attempts: readonly NewDelegatedAttempt[]
  },
): Promise<number> {
  const [inserted] = await tx.query<{ writtenAtMs: number }>(sql`
    insert into payment_attempts (id, organization_id, payment_id, lane_id, number,
      executor_address, kind, idempotency_key, call_hash, state)
    select n.id, ${organizationId}, n.payment_id, ${lane.id}, n.number, ${lane.address},
      'entrusted', n.idempotency_key, n.call_hash, 'written'
    from unnest(${attempts.map(({ id }) => id)}::uuid[],
      ${attempts.map(({ paymentId }) => paymentId)}::uuid[],
      ${attempts.map(({ number }) => number)}::integer[],
      ${attempts.map(({ idempotencyKey }) => idempotencyKey)}::uuid[],
      ${attempts.map(({ callHash }) => callHash)}::text[])
      as n (id, payment_id, number, idempotency_key, call_hash)
    returning (extract(epoch from created_at) * 1000)::bigint as "writtenAtMs"`)
  return inserted?.writtenAtMs ?? 0
}

/** Replaces the hash that the provider named by that of the transaction with the vault's log. */
export function nameMined(
  tx: Tx,
  {
    organizationId,
    mined,
  }: { organizationId: string; mined: readonly { paymentId: string; minedHash: string }[] },
): void {
  tx.write(sql`
    update payment_attempts as a set transaction_hash = n.hash
    from unnest(${mined.map(({ paymentId }) => paymentId)}::uuid[],
      ${mined.map(({ minedHash }) => minedHash)}::text[]) as n (payment_id, hash)
    where a.organization_id = ${organizationId} and a.payment_id = n.payment_id
      and a.kind = 'entrusted' and a.state in ('written', 'sent')`)
}

export type ReportRow = {
  attemptId: string
  status: ReportedStatus
  providerReference: string | null
  transactionHash: string | null
  code: string | null
  reportedBlock: number | null
}

/** A null keeps the stored reference or hash. The payments get the same values. */
export function updateReports(
  tx: Tx,
  { organizationId, reports }: { organizationId: string; reports: readonly ReportRow[] },
): void {
  if (reports.length === 0) return
  tx.write(sql`
    with heard as (
      select * from unnest(${reports.map(({ attemptId }) => attemptId)}::uuid[],
        ${reports.map(({ status }) => status)}::text[],
        ${reports.map(({ providerReference }) => providerReference)}::text[],
        ${reports.map(({ transactionHash }) => transactionHash)}::text[],
        ${reports.map(({ code }) => code)}::text[],
        ${reports.map(({ reportedBlock }) => reportedBlock)}::bigint[])
        as n (id, status, reference, hash, code, block)
    ), noted as (
      update payment_attempts as a set provider_state = n.status, heard_at = now(),
        heard_block = n.block, provider_reference = coalesce(n.reference, a.provider_reference),
        transaction_hash = coalesce(n.hash, a.transaction_hash),
        error_code = coalesce(n.code, a.error_code), updated_at = now()
      from heard n where a.organization_id = ${organizationId} and a.id = n.id
      returning a.payment_id, a.provider_reference, a.transaction_hash
    )
    update payments as p set provider_reference = noted.provider_reference,
      transaction_hash = noted.transaction_hash
    from noted where p.organization_id = ${organizationId} and p.id = noted.payment_id`)
}
