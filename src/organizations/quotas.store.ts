/**
 * SQL for quotas. Each count takes a lock until commit, so that concurrent requests cannot exceed
 * it.
 */
import sql from 'sql-template-tag'
import type { Tx } from '#platform/database/database.ts'

export async function countCreatedOrganizations(tx: Tx, accountId: string): Promise<number> {
  tx.write(sql`select pg_advisory_xact_lock(hashtextextended(${accountId}, 9))`)
  const [row] = await tx.query<{ created: number }>(sql`
    select count(*) as created from organizations where created_by_account_id = ${accountId}`)
  return row?.created ?? 0
}
