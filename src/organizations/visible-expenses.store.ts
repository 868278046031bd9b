/** SQL for who may see an expense. */
import sql, { type Sql } from 'sql-template-tag'

/**
 * A condition on an expense `e`. `onlyOf` is null for owners and managers, who see all. Others see
 * their own, and, to check what they sign, those that they can or did approve.
 */
export const isVisibleExpense = (onlyOf: string | null): Sql => sql`(
  ${onlyOf}::uuid is null
  or e.submitter_account_id = ${onlyOf}
  or (e.state = 'awaiting_approval' and exists (
    select from wallet_roles w where w.organization_id = e.organization_id
      and w.account_id = ${onlyOf} and w.role = 'approver' and w.state = 'active'))
  or exists (
    select from approvals a where a.organization_id = e.organization_id
      and a.expense_id = e.id and a.account_id = ${onlyOf}))`
