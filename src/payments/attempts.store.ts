/** SQL of attempts, as the engine writes them ahead, and of what became of them. */
import sql from 'sql-template-tag'
import type { Tx } from '#platform/database.ts'
import type { Attempt } from './lane.ts'
import type { AttemptState } from './payment-attempt.machine.ts'

export type AttemptRow = Omit<Attempt, 'kind' | 'fees'> & {
  paymentId: string
  maxFeePerGas: bigint
  maxPriorityFeePerGas: bigint
}

/** Of all lives of these payments, oldest first. */
export async function listAttemptsOf(
  tx: Tx,
  { organizationId, paymentIds }: { organizationId: string; paymentIds: readonly string[] },
): Promise<AttemptRow[]> {
  return tx.query<AttemptRow>(sql`
    select id, payment_id as "paymentId", nonce, fee_rank as "feeRank",
      max_fee_per_gas as "maxFeePerGas", max_priority_fee_per_gas as "maxPriorityFeePerGas",
      transaction_hash as "transactionHash", raw,
      (extract(epoch from created_at) * 1000)::bigint as "writtenAtMs",
      (extract(epoch from sent_at) * 1000)::bigint as "sentAtMs"
    from payment_attempts
    where organization_id = ${organizationId} and payment_id = any(${paymentIds}::uuid[])
      and state <> 'cleared'
    order by number`)
}

export async function insertAttempt(
  tx: Tx,
  row: {
    id: string
    organizationId: string
    paymentId: string
    laneId: string
    executorAddress: string
    nonce: number
    feeRank: number
    maxFeePerGas: bigint
    maxPriorityFeePerGas: bigint
    transactionHash: string
    raw: string
    callHash: string
  },
): Promise<number> {
  const [inserted] = await tx.query<{ writtenAtMs: number }>(sql`
    insert into payment_attempts (id, organization_id, payment_id, lane_id, number,
      executor_address, nonce, fee_rank, max_fee_per_gas, max_priority_fee_per_gas,
      transaction_hash, raw, call_hash, state)
    select ${row.id}, ${row.organizationId}, ${row.paymentId}, ${row.laneId},
      1 + coalesce(max(number), 0), ${row.executorAddress}, ${row.nonce}, ${row.feeRank},
      ${row.maxFeePerGas}, ${row.maxPriorityFeePerGas}, ${row.transactionHash}, ${row.raw},
      ${row.callHash}, 'written'
    from payment_attempts
    where organization_id = ${row.organizationId} and payment_id = ${row.paymentId}
    returning (extract(epoch from created_at) * 1000)::bigint as "writtenAtMs"`)
  return inserted?.writtenAtMs ?? 0
}

export async function markSent(
  tx: Tx,
  { organizationId, attemptId }: { organizationId: string; attemptId: string },
): Promise<void> {
  await tx.query(sql`
    update payment_attempts set sent_at = now()
    where organization_id = ${organizationId} and id = ${attemptId}`)
}

/** `moveAttempts` alone calls this. */
export async function updateAttemptStates(
  tx: Tx,
  move: {
    organizationId: string
    paymentId: string
    transactionHash?: string
    from: readonly AttemptState[]
    to: AttemptState
    errorCode?: string
  },
): Promise<void> {
  const hash = move.transactionHash ?? null
  await tx.query(sql`
    update payment_attempts set state = ${move.to}, updated_at = now(),
      error_code = coalesce(${move.errorCode ?? null}, error_code)
    where organization_id = ${move.organizationId} and payment_id = ${move.paymentId}
      and (${hash}::text is null or transaction_hash = ${hash}) and state = any(${move.from})`)
}

export async function insertReceipt(
  tx: Tx,
  row: {
    organizationId: string
    paymentId: string
    transactionHash: string
    blockNumber: number
    blockHash: string
    logIndex: number
    gasUsed: bigint | null
    effectiveGasPrice: bigint | null
    execution: Record<string, string | number>
    at: Date
  },
): Promise<void> {
  await tx.query(sql`
    insert into payment_receipts (organization_id, payment_id, transaction_hash, block_number,
      block_hash, log_index, status, gas_used, effective_gas_price, execution, confirmed_at)
    values (${row.organizationId}, ${row.paymentId}, ${row.transactionHash}, ${row.blockNumber},
      ${row.blockHash}, ${row.logIndex}, 'success', ${row.gasUsed}, ${row.effectiveGasPrice},
      ${JSON.stringify(row.execution)}::jsonb, ${row.at})`)
}
