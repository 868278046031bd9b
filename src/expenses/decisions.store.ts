/** SQL for what reviewers decided about an expense. */
import sql from 'sql-template-tag'
import type { Tx } from '#platform/database/database.ts'
import type { ExpenseKey } from './expenses.store.ts'

export const reviewActions = ['request_revision', 'reject', 'advance_to_approval'] as const
export type ReviewAction = (typeof reviewActions)[number]

export function insertReview(
  tx: Tx,
  row: ExpenseKey & {
    id: string
    revision: number
    action: ReviewAction
    reason: string
    accountId: string
    at: Date
  },
): void {
  tx.write(sql`
    insert into expense_reviews (id, organization_id, expense_id, revision, account_id, action,
      reason, created_at)
    values (${row.id}, ${row.organizationId}, ${row.expenseId}, ${row.revision}, ${row.accountId},
      ${row.action}, ${row.reason}, ${row.at})`)
}

/** As in approvals/approval.machine.ts, which comes later in the order of modules. */
export const approvalStates = [
  'prepared',
  'signed',
  'consumed',
  'expired',
  'superseded',
  'invalidated',
] as const
