/** SQL of every account that ever had an address as a wallet; unlinking removes nothing here. */
import sql from 'sql-template-tag'
import type { Tx } from '#platform/database/database.ts'

/** Accounts that are or were members of the organization in scope, and the caller's own. */
export async function listEverLinked(tx: Tx, address: string): Promise<string[]> {
  const rows = await tx.query<{ accountId: string }>(sql`
    select account_id as "accountId" from wallet_links where address = ${address}
    order by account_id`)
  return rows.map(({ accountId }) => accountId)
}
