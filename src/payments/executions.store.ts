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

/** Whose pass should look, now that the vault has logged this payment. */
export async function findPaymentLane(
  tx: Tx,
  { organizationId, chainPaymentId }: { organizationId: string; chainPaymentId: string },
): Promise<string | undefined> {
  const [row] = await tx.query<{ laneId: string | null }>(sql`
    select lane_id as "laneId" from payments
    where organization_id = ${organizationId} and chain_payment_id = ${chainPaymentId}`)
  return row?.laneId ?? undefined
}
