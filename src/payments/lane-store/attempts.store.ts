/** SQL of payment attempts and receipts, as the engine writes and reads them. */
import type { LoggedFields } from '@countersign/proof/evidence.ts'
import sql from 'sql-template-tag'
import type { DelegatedAttempt, SignedAttempt } from '#payments/engine/attempt.ts'
import type { Tx } from '#platform/database/database.ts'
import type { AttemptState } from './payment-attempt.machine.ts'

type SignedRow = Omit<SignedAttempt, 'fees'> & {
  maxFeePerGas: bigint
  maxPriorityFeePerGas: bigint
}
type DelegatedRow = Omit<DelegatedAttempt, 'isSameCall'> & { callHash: string }

/** The columns of the other kind are null, which a check constraint enforces. */
export type AttemptRow = (SignedRow | DelegatedRow) & { paymentId: string }

/** All attempts of these payments that may still pay, oldest first. */
export async function listAttemptsOf(
  tx: Tx,
  { organizationId, paymentIds }: { organizationId: string; paymentIds: readonly string[] },
): Promise<AttemptRow[]> {
  return tx.query<AttemptRow>(sql`
    select kind, id, payment_id as "paymentId", nonce, fee_rank as "feeRank",
      max_fee_per_gas as "maxFeePerGas", max_priority_fee_per_gas as "maxPriorityFeePerGas",
      transaction_hash as "transactionHash", raw, idempotency_key as "idempotencyKey",
      provider_reference as "providerReference", provider_state as status,
      heard_block as "reportedBlock", call_hash as "callHash",
      (extract(epoch from heard_at) * 1000)::bigint as "reportedAtMs",
      (extract(epoch from created_at) * 1000)::bigint as "writtenAtMs",
      (extract(epoch from sent_at) * 1000)::bigint as "sentAtMs"
    from payment_attempts
    where organization_id = ${organizationId} and payment_id = any(${paymentIds}::uuid[])
      and state <> 'cleared'
    order by number`)
}

export type NewAttempt = {
  id: string
  paymentId: string
  nonce: number
  feeRank: number
  maxFeePerGas: bigint
  maxPriorityFeePerGas: bigint
  transactionHash: string
  raw: string
  callHash: string
}

/** One attempt per payment, all of one executor. Returns the time of the insert. */
export async function insertAttempts(
  tx: Tx,
  {
    organizationId,
    lane,
    attempts,
  }: {
    organizationId: string
    lane: { id: string; address: string }
    attempts: readonly NewAttempt[]
  },
): Promise<number> {
  const [inserted] = await tx.query<{ writtenAtMs: number }>(sql`
    insert into payment_attempts (id, organization_id, payment_id, lane_id, number,
      executor_address, nonce, fee_rank, max_fee_per_gas, max_priority_fee_per_gas,
      transaction_hash, raw, call_hash, state)
    select n.id, ${organizationId}, n.payment_id, ${lane.id},
      1 + (select coalesce(max(a.number), 0) from payment_attempts a
        where a.organization_id = ${organizationId} and a.payment_id = n.payment_id),
      ${lane.address}, n.nonce, n.fee_rank, n.max_fee, n.max_priority_fee, n.hash, n.raw,
      n.call_hash, 'written'
    from unnest(${attempts.map(({ id }) => id)}::uuid[],
      ${attempts.map(({ paymentId }) => paymentId)}::uuid[],
      ${attempts.map(({ nonce }) => nonce)}::bigint[],
      ${attempts.map(({ feeRank }) => feeRank)}::integer[],
      ${attempts.map(({ maxFeePerGas }) => maxFeePerGas)}::numeric[],
      ${attempts.map(({ maxPriorityFeePerGas }) => maxPriorityFeePerGas)}::numeric[],
      ${attempts.map(({ transactionHash }) => transactionHash)}::text[],
      ${attempts.map(({ raw }) => raw)}::text[],
      ${attempts.map(({ callHash }) => callHash)}::text[])
      as n (id, payment_id, nonce, fee_rank, max_fee, max_priority_fee, hash, raw, call_hash)
    returning (extract(epoch from created_at) * 1000)::bigint as "writtenAtMs"`)
  return inserted?.writtenAtMs ?? 0
}

export function markSent(
  tx: Tx,
  { organizationId, attemptIds }: { organizationId: string; attemptIds: readonly string[] },
): void {
  tx.write(sql`
    update payment_attempts set sent_at = now()
    where organization_id = ${organizationId} and id = any(${attemptIds}::uuid[])`)
}

/** Only `moveAttempts` calls this. */
export function updateAttemptStates(
  tx: Tx,
  move: {
    organizationId: string
    paymentIds: readonly string[]
    transactionHashes?: readonly string[]
    from: readonly AttemptState[]
    to: AttemptState
    errorCode?: string
  },
): void {
  const hashes = move.transactionHashes ?? null
  tx.write(sql`
    update payment_attempts set state = ${move.to}, updated_at = now(),
      error_code = case kind
        when 'signed' then coalesce(${move.errorCode ?? null}, error_code)
        else coalesce(error_code, ${move.errorCode ?? null}) end
    where organization_id = ${move.organizationId} and payment_id = any(${move.paymentIds}::uuid[])
      and (${hashes}::text[] is null or transaction_hash = any(${hashes}))
      and state = any(${move.from})`)
}

export type NewReceipt = {
  paymentId: string
  transactionHash: string
  blockNumber: number
  blockHash: string
  logIndex: number
  gasUsed: bigint | null
  effectiveGasPrice: bigint | null
  execution: LoggedFields
  at: Date
}

export function insertReceipts(
  tx: Tx,
  { organizationId, receipts }: { organizationId: string; receipts: readonly NewReceipt[] },
): void {
  tx.write(sql`
    insert into payment_receipts (organization_id, payment_id, transaction_hash, block_number,
      block_hash, log_index, status, gas_used, effective_gas_price, execution, confirmed_at)
    select ${organizationId}, n.payment_id, n.hash, n.block_number, n.block_hash, n.log_index,
      'success', n.gas_used, n.gas_price, n.execution::jsonb, n.at
    from unnest(${receipts.map(({ paymentId }) => paymentId)}::uuid[],
      ${receipts.map(({ transactionHash }) => transactionHash)}::text[],
      ${receipts.map(({ blockNumber }) => blockNumber)}::bigint[],
      ${receipts.map(({ blockHash }) => blockHash)}::text[],
      ${receipts.map(({ logIndex }) => logIndex)}::integer[],
      ${receipts.map(({ gasUsed }) => gasUsed)}::numeric[],
      ${receipts.map(({ effectiveGasPrice }) => effectiveGasPrice)}::numeric[],
      ${receipts.map(({ execution }) => JSON.stringify(execution))}::text[],
      ${receipts.map(({ at }) => at)}::timestamptz[])
      as n (payment_id, hash, block_number, block_hash, log_index, gas_used, gas_price,
        execution, at)`)
}
