/** SQL of what the chain and the clock say about payments, in a word each. */
import sql from 'sql-template-tag'
import type { Tx } from '#platform/database.ts'
import type { PaymentKey } from './payments.store.ts'

/** By the database's clock. */
export async function findIsPastDeadline(
  tx: Tx,
  { organizationId, paymentId }: PaymentKey,
): Promise<boolean> {
  const rows = await tx.query(sql`
    select 1 as found from payments
    where organization_id = ${organizationId} and id = ${paymentId} and deadline < now()`)
  return rows.length > 0
}

/** Another vault of the organization has paid this id. */
export async function findIsPaidElsewhere(
  tx: Tx,
  where: { organizationId: string; vaultId: string; chainPaymentId: string },
): Promise<boolean> {
  const rows = await tx.query(sql`
    select 1 as found from vault_payments
    where organization_id = ${where.organizationId} and vault_id <> ${where.vaultId}
      and chain_payment_id = ${where.chainPaymentId}`)
  return rows.length > 0
}

/** Whose passes should look, now that the vault has logged these payments. */
export async function listPaymentLanes(
  tx: Tx,
  { organizationId, chainPaymentIds }: { organizationId: string; chainPaymentIds: string[] },
): Promise<string[]> {
  const rows = await tx.query<{ laneId: string }>(sql`
    select distinct lane_id as "laneId" from payments
    where organization_id = ${organizationId} and chain_payment_id = any(${chainPaymentIds})
      and lane_id is not null order by lane_id`)
  return rows.map(({ laneId }) => laneId)
}
