/** SQL for what people said about an expense: comments, reviews and approvals. */
import sql from 'sql-template-tag'
import type { Reader, Tx } from '#platform/database/database.ts'
import type { CommentRow, ExpenseKey } from './expenses.store.ts'

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
  digest: string
  policyVersion: number
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

type RemarkRow = {
  kind: 'approval' | 'comment' | 'review'
  id: string
  accountId: string
  displayName: string | null
  /** Of a comment its body, of a review its reason. */
  text: string
  revision: number
  /** Of a review its action, of an approval its state. */
  code: string
  cancelled: boolean
  address: string
  at: string
  signedAt: string | null
  digest: string
  policyVersion: number
}

export type Remarks = { comments: CommentRow[]; reviews: ReviewRow[]; approvals: ListedApproval[] }

/**
 * What people said about an expense, newest first, with so many comments at most. One statement,
 * because three that mostly find nothing cost the database more than the expense itself.
 */
export async function listRemarks(
  tx: Reader,
  { organizationId, expenseId, commentLimit }: ExpenseKey & { commentLimit: number },
): Promise<Remarks> {
  const rows = await tx.query<RemarkRow>(sql`
    select x.*, (select p.display_name from profiles p where p.account_id = x."accountId")
      as "displayName"
    from (
      (select 'comment' as kind, c.id, c.author_account_id as "accountId", c.body as text,
        null::integer as revision, null as code, null::boolean as cancelled, null as address,
        c.created_at as at, null::timestamptz as "signedAt", null as digest,
        null::bigint as "policyVersion"
      from expense_comments c
      where c.organization_id = ${organizationId} and c.expense_id = ${expenseId}
      order by c.id desc limit ${commentLimit})
      union all
      select 'review', v.id, v.account_id, v.reason, v.revision, v.action, null, null,
        v.created_at, null, null, null
      from expense_reviews v
      where v.organization_id = ${organizationId} and v.expense_id = ${expenseId}
      union all
      select 'approval', a.id, a.account_id, null, a.expense_revision, a.state,
        a.cancelled_at is not null, a.approver_address, a.deadline, a.signed_at,
        a.digest, a.policy_version
      from approvals a
      where a.organization_id = ${organizationId} and a.expense_id = ${expenseId}
    ) x order by x.id desc`)
  const remarks: Remarks = { comments: [], reviews: [], approvals: [] }
  for (const row of rows) {
    if (row.kind === 'comment') remarks.comments.push(toComment(row))
    else if (row.kind === 'review') remarks.reviews.push(toReview(row))
    else remarks.approvals.push(toApproval(row))
  }
  return remarks
}

const toComment = ({ id, accountId, displayName, text, at }: RemarkRow): CommentRow => ({
  id,
  authorAccountId: accountId,
  displayName,
  body: text,
  createdAt: at,
})

const toReview = ({ revision, code, text, accountId, displayName, at }: RemarkRow): ReviewRow => ({
  revision,
  action: code as ReviewAction,
  reason: text,
  accountId,
  displayName,
  createdAt: at,
})

const toApproval = (row: RemarkRow): ListedApproval => ({
  approvalId: row.id,
  expenseRevision: row.revision,
  state: row.code as ListedApproval['state'],
  cancelled: row.cancelled,
  approverAddress: row.address,
  accountId: row.accountId,
  displayName: row.displayName,
  deadline: row.at,
  signedAt: row.signedAt,
  digest: row.digest,
  policyVersion: row.policyVersion,
})
