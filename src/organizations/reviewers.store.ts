/** SQL for the members who may review an expense. */
import sql from 'sql-template-tag'
import type { Tx } from '#platform/database/database.ts'

/** Enough rows to find a reviewer who is neither submitter nor payee. */
const REVIEWERS_MAX = 50

/** Active owners and managers whose accounts are active. */
export async function listReviewerIds(tx: Tx, organizationId: string): Promise<string[]> {
  const rows = await tx.query<{ accountId: string }>(sql`
    select m.account_id as "accountId" from memberships m join accounts a on a.id = m.account_id
    where m.organization_id = ${organizationId} and m.role in ('owner', 'manager')
      and m.state = 'active' and a.status = 'active'
    order by m.id limit ${REVIEWERS_MAX}`)
  return rows.map(({ accountId }) => accountId)
}
