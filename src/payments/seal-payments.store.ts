/** SQL of automatic payments whose MAC is missing or made with another key. */
import sql from 'sql-template-tag'
import type { Tx } from '#platform/database/database.ts'
import type { AutomaticTerms, Seal } from './worker-mac.ts'

/** `mac` and `keyId` are null in rows from before MACs existed. */
type Sealable = { id: string; mac: Buffer | null; keyId: string | null; isOld: boolean }

export async function listPaymentsToSeal(
  tx: Tx,
  { organizationId, keyId }: { organizationId: string; keyId: string },
): Promise<(AutomaticTerms & Sealable)[]> {
  return tx.query(sql`
    select p.id, p.organization_id as "organizationId", p.expense_id as "expenseId",
      p.expense_revision as revision, p.expense_version_hash as "versionHash",
      p.report_hash as "reportHash", p.vault_id as "vaultId",
      p.recipient_address as "recipientAddress", p.amount, p.policy_version as "policyVersion",
      p.deadline, p.mac, p.mac_key_id as "keyId", p.created_at < ${introduced} as "isOld"
    from payments p
    where p.organization_id = ${organizationId} and p.mode = 'automatic'
      and p.state in ('reserved', 'queued') and p.mac_key_id is distinct from ${keyId}
    order by p.id for update`)
}

const introduced = sql`(
  select applied_at from migrations where name = '0025_workers.sql')`

type Resealed = { organizationId: string; id: string; seal: Seal }

export function updatePaymentSeal(tx: Tx, row: Resealed): void {
  tx.write(sql`
    update payments set mac = ${row.seal.mac}, mac_key_id = ${row.seal.keyId}
    where organization_id = ${row.organizationId} and id = ${row.id}`)
}
