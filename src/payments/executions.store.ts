/** SQL of facts about payments: passed deadlines and the vaults' logs. */
import sql from 'sql-template-tag'
import type { Tx } from '#platform/database/database.ts'
import type { PaymentKey } from './payments.store.ts'

/** By database time. */
export async function findIsPastDeadline(
  tx: Tx,
  { organizationId, paymentId }: PaymentKey,
): Promise<boolean> {
  const rows = await tx.query(sql`
    select 1 as found from payments
    where organization_id = ${organizationId} and id = ${paymentId} and deadline < now()`)
  return rows.length > 0
}

/** The vaults of the organization that have paid this chain payment id. */
export async function listPayingVaults(
  tx: Tx,
  where: { organizationId: string; chainPaymentId: string },
): Promise<string[]> {
  const rows = await tx.query<{ vaultId: string }>(sql`
    select vault_id as "vaultId" from vault_payments
    where organization_id = ${where.organizationId}
      and chain_payment_id = ${where.chainPaymentId}`)
  return rows.map(({ vaultId }) => vaultId)
}

export type LoggedRow = { vaultId: string; laneId: string | null; isWatched: boolean }

/** The payment rows of these ids, and whether the engine tracks each. */
export const listLoggedPayments = (
  tx: Tx,
  {
    organizationId,
    chainPaymentIds,
  }: { organizationId: string; chainPaymentIds: readonly string[] },
): Promise<LoggedRow[]> =>
  tx.query<LoggedRow>(sql`
    select p.vault_id as "vaultId", p.lane_id as "laneId", not ${isUnwatched} as "isWatched"
    from payments p
    where p.organization_id = ${organizationId}
      and p.chain_payment_id = any(${chainPaymentIds})`)

/** Not tracked by the engine: unsent, failed, or blocked for a cause outside the chain. */
export const isUnwatched = sql`(p.state in ('reserved', 'queued', 'failed')
  or (p.state = 'blocked' and not p.has_open_attempt and p.block_code not in
    ('payment_already_executed', 'execution_mismatch', 'execution_unexplained')))`
