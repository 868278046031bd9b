/** SQL for support cases across tenants. Needs the observer's login. */
import sql, { type Sql } from 'sql-template-tag'
import type { Tx } from '#platform/database/database.ts'
import type { CaseRow } from '#support/support.store.ts'
import type { SupportCaseState } from '#support/support-case.machine.ts'

export type CaseSort = 'newest' | 'oldest' | 'priority_desc' | 'priority_asc'
export type CaseFilter = { state?: SupportCaseState; priority?: number }

/** Omits unused filters from the statement, because each combination has its own index. */
function where({ state, priority }: CaseFilter): Sql {
  const byState = state === undefined ? sql`true` : sql`state = ${state}`
  const byPriority = priority === undefined ? sql`true` : sql`priority = ${priority}`
  return sql`${byState} and ${byPriority}`
}

/** Within the same priority the newest come first, in both directions. */
const orders: Record<CaseSort, Sql> = {
  newest: sql`id desc`,
  oldest: sql`id`,
  priority_desc: sql`priority desc, id desc`,
  priority_asc: sql`priority, id desc`,
}

export async function findCaseCount(tx: Tx, filter: CaseFilter): Promise<number> {
  const [row] = await tx.query<{ count: number }>(sql`
    select count(*) as count from support_cases where ${where(filter)}`)
  return row?.count ?? 0
}

export async function listCases(
  tx: Tx,
  {
    filter,
    sort,
    limit,
    offset,
  }: { filter: CaseFilter; sort: CaseSort; limit: number; offset: number },
): Promise<CaseRow[]> {
  return tx.query<CaseRow>(sql`
    select c.id, c.organization_id as "organizationId",
      c.opened_by_account_id as "openedByAccountId", p.display_name as "displayName",
      c.expense_id as "expenseId", c.payment_id as "paymentId", c.subject, c.priority, c.state,
      c.created_at as "createdAt", c.updated_at as "updatedAt"
    from support_cases c left join profiles p on p.account_id = c.opened_by_account_id
    where ${where(filter)}
    order by ${orders[sort]} limit ${limit} offset ${offset}`)
}
