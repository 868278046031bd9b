/** SQL of payments that a vault has made and the engine does not track. */
import sql from 'sql-template-tag'
import type { LaneKey } from '#executor/lane.ts'
import { isUnwatched } from '#payments/executions.store.ts'
import type { Tx } from '#platform/database/database.ts'

/** Paid by a vault, but unsent, blocked or failed in the database. */
export async function listExecutedUnseen(
  tx: Tx,
  { organizationId }: LaneKey,
): Promise<{ paymentId: string; expenseId: string }[]> {
  return tx.query<{ paymentId: string; expenseId: string }>(sql`
    select p.id as "paymentId", p.expense_id as "expenseId"
    from payments p join vault_payments v on v.organization_id = p.organization_id
      and v.vault_id = p.vault_id and v.chain_payment_id = p.chain_payment_id
    where p.organization_id = ${organizationId} and ${isUnwatched}`)
}

/** Counts attempts at unused nonces: they may still be mined. */
export async function findOpenFrom(
  tx: Tx,
  { organizationId, laneId, nonce }: LaneKey & { nonce: number },
): Promise<number> {
  const [row] = await tx.query<{ count: number }>(sql`
    select count(*) as count from (
      select nonce from payment_attempts
      where organization_id = ${organizationId} and lane_id = ${laneId}
        and state in ('written', 'sent')
      union all
      select nonce from activation_attempts
      where organization_id = ${organizationId} and lane_id = ${laneId} and not is_cleared) a
    where a.nonce >= ${nonce}`)
  return row?.count ?? 0
}
