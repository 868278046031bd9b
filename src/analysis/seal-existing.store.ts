/** SQL of reports whose MAC is missing, or was made with another key. */
import sql from 'sql-template-tag'
import type { ReportTerms, Seal } from '#payments/worker-mac.ts'
import type { Db, Tx } from '#platform/database/database.ts'

/** Every organization; for the observer alone. */
export async function listOrganizationIds(observer: Pick<Db, 'query'>): Promise<string[]> {
  const rows = await observer.query<{ id: string }>(sql`select id from organizations order by id`)
  return rows.map(({ id }) => id)
}

/** Open reports without a MAC, of every organization; for the observer alone. */
export async function countUnsealed(observer: Pick<Db, 'query'>): Promise<number> {
  const [row] = await observer.query<{ count: number }>(sql`
    select count(*) as count from expenses e
    join reports t on t.organization_id = e.organization_id and t.id = e.current_report_id
    where t.mac is null and e.state not in ('paid', 'cancelled', 'rejected')`)
  return row?.count ?? 0
}

/** Null where a version that knew no MACs wrote it. */
type Sealable = { id: string; mac: Buffer | null; keyId: string | null; isOld: boolean }

/** The current report of each open expense. `isOld`: from before workers had keys. */
export async function listReportsToSeal(
  tx: Tx,
  { organizationId, keyId }: { organizationId: string; keyId: string },
): Promise<(ReportTerms & Sealable)[]> {
  return tx.query(sql`
    select t.id, t.organization_id as "organizationId", t.expense_id as "expenseId",
      t.expense_revision as revision, r.version_hash as "versionHash",
      t.report_hash as "reportHash", r.vault_id as "vaultId",
      r.recipient_address as "recipientAddress", r.amount, t.mac, t.mac_key_id as "keyId",
      t.created_at < ${introduced} as "isOld"
    from expenses e
    join reports t on t.organization_id = e.organization_id and t.id = e.current_report_id
    join expense_revisions r on r.organization_id = t.organization_id
      and r.expense_id = t.expense_id and r.revision = t.expense_revision
    where e.organization_id = ${organizationId} and t.mac_key_id is distinct from ${keyId}
    order by t.id for update of t`)
}

const introduced = sql`(
  select applied_at from migrations where name = '0025_workers.sql')`

type Resealed = { organizationId: string; id: string; seal: Seal }

export function updateReportSeal(tx: Tx, row: Resealed): void {
  tx.write(sql`
    update reports set mac = ${row.seal.mac}, mac_key_id = ${row.seal.keyId}
    where organization_id = ${row.organizationId} and id = ${row.id}`)
}
