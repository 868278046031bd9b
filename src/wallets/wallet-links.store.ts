/** SQL for the history of account and address links. Unlinking a wallet removes nothing here. */
import sql from 'sql-template-tag'
import type { Tx } from '#platform/database/database.ts'

/** Accounts that ever linked the address, among current and past members and the caller. */
export async function listEverLinked(tx: Tx, address: string): Promise<string[]> {
  const rows = await tx.query<{ accountId: string }>(sql`
    select account_id as "accountId" from wallet_links where address = ${address}
    order by account_id`)
  return rows.map(({ accountId }) => accountId)
}
