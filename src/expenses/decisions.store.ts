/** SQL for decisions about an expense: reviews, and approvals as readers see them. */
import sql from 'sql-template-tag'
import type { Reader, Tx } from '#platform/database/database.ts'
import type { ExpenseKey } from './expenses.store.ts'

export const reviewActions = ['request_revision', 'reject', 'advance_to_approval'] as const
export type ReviewAction = (typeof reviewActions)[number]

export type ReviewRow = {
  revision: number
  action: ReviewAction
  reason: string
  accountId: string
  displayName: string | null
  createdAt: string
}

export function insertReview(
  tx: Tx,
  row: ExpenseKey & Omit<ReviewRow, 'displayName' | 'createdAt'> & { id: string; at: Date },
): void {
  tx.write(sql`
    insert into expense_reviews (id, organization_id, expense_id, revision, account_id, action,
      reason, created_at)
    values (${row.id}, ${row.organizationId}, ${row.expenseId}, ${row.revision}, ${row.accountId},
      ${row.action}, ${row.reason}, ${row.at})`)
}

/** Newest first. */
export async function listReviews(
  tx: Reader,
  { organizationId, expenseId }: ExpenseKey,
): Promise<ReviewRow[]> {
  return tx.query<ReviewRow>(sql`
    select v.revision, v.action, v.reason, v.account_id as "accountId",
      p.display_name as "displayName", v.created_at as "createdAt"
    from expense_reviews v left join profiles p on p.account_id = v.account_id
    where v.organization_id = ${organizationId} and v.expense_id = ${expenseId}
    order by v.id desc`)
}

export type ListedApproval = {
  approvalId: string
  expenseRevision: number
  state: (typeof approvalStates)[number]
  /** Taken back by its approver before it was signed. */
  cancelled: boolean
  /** Lower case. */
  approverAddress: string
  accountId: string
  displayName: string | null
  deadline: string
  signedAt: string | null
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

/** Newest first. */
export async function listApprovalsOf(
  tx: Reader,
  { organizationId, expenseId }: ExpenseKey,
): Promise<ListedApproval[]> {
  return tx.query<ListedApproval>(sql`
    select a.id as "approvalId", a.expense_revision as "expenseRevision", a.state,
      a.cancelled_at is not null as cancelled, a.approver_address as "approverAddress",
      a.account_id as "accountId", p.display_name as "displayName", a.deadline,
      a.signed_at as "signedAt"
    from approvals a left join profiles p on p.account_id = a.account_id
    where a.organization_id = ${organizationId} and a.expense_id = ${expenseId}
    order by a.id desc`)
}
