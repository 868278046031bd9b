/** What the API should answer about an expense, read from the rows of its tables one by one. */
import { checksummed } from '@countersign/proof/values.ts'
import { expect } from 'vitest'
import type { Answer, TestApp } from './app.ts'

type Row = Answer['body']
const at = (date: Date) => date.toISOString()

/** What the API answers about a revision, from its row. */
const revisionOf = (row: Row) => ({
  revision: row.revision,
  vaultId: row.vault_id,
  purpose: row.purpose,
  recipientId: row.recipient_id,
  recipientLabel: row.recipient_label,
  recipientAddress: checksummed(row.recipient_address),
  amountBaseUnits: row.amount,
  requestedMode: row.requested_mode,
  reason: row.reason,
  versionHash: row.version_hash,
  authorAccountId: row.author_account_id,
  createdAt: at(row.created_at),
  attachments: row.files ?? [],
  category: row.category,
  categoryName: row.category_name,
  reference: row.reference,
  dueDate: row.due,
})

const rowsOf = ({ asOwner }: TestApp['database'], table: string, id: string, order: string) =>
  asOwner<Row>(
    `select t.*, ${table === 'expense_revisions' ? DETAILS : '1 as one'} from ${table} t
     where t.expense_id = $1 order by ${order} desc`,
    [id],
  )
const DETAILS = `t.due_date::text as due, (
  select jsonb_agg(jsonb_build_object('id', a.id, 'name', a.name, 'mediaType', a.media_type,
    'sizeBytes', a.size_bytes, 'sha256', a.sha256) order by x.position)
  from revision_attachments x join attachments a on a.id = x.attachment_id
  where x.expense_id = t.expense_id and x.revision = t.revision) as files`

/** The whole answer of `GET …/expenses/{expenseId}`, from the rows of its tables. */
export async function storedExpense({ database }: Pick<TestApp, 'database'>, id: string) {
  const { asOwner } = database
  const [row] = await asOwner<Row>('select * from expenses where id = $1', [id])
  const names = new Map(
    (await asOwner<Row>('select * from profiles')).map((p) => [p.account_id, p.display_name]),
  )
  const nameOf = (accountId: string) => names.get(accountId) ?? null
  const revisions = (await rowsOf(database, 'expense_revisions', id, 't.revision')).map(revisionOf)
  const comments = await rowsOf(database, 'expense_comments', id, 't.id')
  const reviews = await rowsOf(database, 'expense_reviews', id, 't.id')
  const approvals = await rowsOf(database, 'approvals', id, 't.id')
  if (!row) throw new Error('There is no such expense')
  return {
    id,
    organizationId: row.organization_id,
    submitterAccountId: row.submitter_account_id,
    paymentId: row.payment_id,
    currentRevision: row.current_revision,
    state: row.state,
    blockCode: row.block_code,
    currentReportId: row.current_report_id,
    createdAt: at(row.created_at),
    updatedAt: at(row.updated_at),
    revision: revisions.find(({ revision }) => revision === row.current_revision),
    revisions,
    comments: comments.slice(0, 50).map((one) => ({
      id: one.id,
      authorAccountId: one.author_account_id,
      body: one.body,
      createdAt: at(one.created_at),
      displayName: nameOf(one.author_account_id),
    })),
    submitterDisplayName: nameOf(row.submitter_account_id),
    commentsNextCursor: comments.length > 50 ? expect.any(String) : null,
    reviews: reviews.map((one) => ({
      revision: one.revision,
      action: one.action,
      reason: one.reason,
      accountId: one.account_id,
      displayName: nameOf(one.account_id),
      createdAt: at(one.created_at),
    })),
    approvals: approvals.map((one) => ({
      approvalId: one.id,
      expenseRevision: one.expense_revision,
      state: one.state,
      cancelled: one.cancelled_at !== null,
      approverAddress: checksummed(one.approver_address),
      accountId: one.account_id,
      displayName: nameOf(one.account_id),
      deadline: at(one.deadline),
      signedAt: one.signed_at && at(one.signed_at),
      digest: one.digest,
      policyVersion: Number(one.policy_version),
    })),
    requiredApprovals: 1,
    signedApprovals: approvals.filter(
      ({ expense_revision: revision, state }) =>
        revision === row.current_revision && ['signed', 'consumed'].includes(state),
    ).length,
  }
}
