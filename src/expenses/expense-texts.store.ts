/**
 * SQL that renders expenses as the API answers them. Addresses are in lower case: PostgreSQL has no
 * Keccak for their checksums (`expense-texts.ts`).
 */
import sql, { type Sql } from 'sql-template-tag'
import { isVisibleExpense } from '#organizations/visible-expenses.store.ts'
import { composedOnce } from '#platform/database/composed-once.ts'
import type { Reader } from '#platform/database/database.ts'
import {
  boolean,
  type Fields,
  fieldsText,
  json,
  list,
  objectText,
  plain,
  plainOrNull,
  text,
  time,
  timeOrNull,
} from '#platform/database/json-text.ts'
import type { Page } from '#platform/paging.ts'
import type { ExpenseKey } from './expenses.store.ts'

const nameOf = (accountId: Sql) =>
  text(sql`(select p.display_name from profiles p where p.account_id = ${accountId})`)

const attachmentText = objectText({
  id: plain(sql`a.id`),
  name: text(sql`a.name`),
  mediaType: plain(sql`a.media_type`),
  sizeBytes: json(sql`a.size_bytes`),
  sha256: plain(sql`x.sha256`),
})

const attachments = list(sql`
  select ${attachmentText} from revision_attachments x
  join attachments a on a.organization_id = x.organization_id and a.id = x.attachment_id
  where x.organization_id = r.organization_id and x.expense_id = r.expense_id
    and x.revision = r.revision order by x.position`)

/** Of a revision `r`. */
const revisionText = objectText({
  revision: json(sql`r.revision`),
  vaultId: plain(sql`r.vault_id`),
  purpose: text(sql`r.purpose`),
  recipientId: plain(sql`r.recipient_id`),
  recipientLabel: text(sql`r.recipient_label`),
  recipientAddress: plain(sql`r.recipient_address`),
  amountBaseUnits: plain(sql`r.amount`),
  requestedMode: plain(sql`r.requested_mode`),
  reason: text(sql`r.reason`),
  versionHash: plain(sql`r.version_hash`),
  authorAccountId: plain(sql`r.author_account_id`),
  createdAt: time(sql`r.created_at`),
  attachments: {
    ...attachments,
    value: sql`case when r.attachment_count > 0 then ${attachments.value} end`,
  },
  category: text(sql`r.category`),
  categoryName: text(sql`r.category_name`),
  reference: text(sql`r.reference`),
  dueDate: plainOrNull(sql`r.due_date`),
})

const expenseFields: Fields = {
  id: plain(sql`e.id`),
  organizationId: plain(sql`e.organization_id`),
  submitterAccountId: plain(sql`e.submitter_account_id`),
  paymentId: plain(sql`e.payment_id`),
  currentRevision: json(sql`e.current_revision`),
  state: plain(sql`e.state`),
  blockCode: plainOrNull(sql`e.block_code`),
  currentReportId: plainOrNull(sql`e.current_report_id`),
  createdAt: time(sql`e.created_at`),
  updatedAt: time(sql`e.updated_at`),
}

const submitterDisplayName = nameOf(sql`e.submitter_account_id`)

/** An expense `e` with its current revision `r`. */
export const listedExpenseText = objectText({
  ...expenseFields,
  revision: json(revisionText),
  submitterDisplayName,
})

/** One item of a list, with its id for the cursor. */
export type RenderedRow = { id: string; body: string }

type Listing = { organizationId: string; onlyOf: string | null; limit: number; beforeId: string }

/** The lateral join forces one index lookup per row, whatever page size the planner assumes. */
const listStatement = (isVisible: (of: Listing) => Sql) =>
  composedOnce<Listing>(
    (of) => sql`
    select e.id, ${listedExpenseText} as body
    from expenses e cross join lateral (
      select * from expense_revisions c where c.organization_id = e.organization_id
        and c.expense_id = e.id and c.revision = e.current_revision limit 1) r
    where e.organization_id = ${of.organizationId} and ${isVisible(of)} and e.id < ${of.beforeId}
    order by e.id desc limit ${of.limit}::bigint + 1`,
  )

const allExpenses = listStatement(() => sql`true`)
const ownExpenses = listStatement(({ onlyOf }) => sql`e.submitter_account_id = ${onlyOf}`)

/** Two statements, because an employee's list needs another index than the full list. */
export const listExpenses = (
  reader: Reader,
  { page, ...of }: { organizationId: string; onlyOf: string | null; page: Page },
): Promise<RenderedRow[]> =>
  reader.query<RenderedRow>((of.onlyOf === null ? allExpenses : ownExpenses)({ ...of, ...page }))

const commentText = objectText({
  id: plain(sql`c.id`),
  authorAccountId: plain(sql`c.author_account_id`),
  body: text(sql`c.body`),
  createdAt: time(sql`c.created_at`),
  displayName: nameOf(sql`c.author_account_id`),
})

type Comments = ExpenseKey & Page

/** Newest first, one more than the page holds. */
const commentsOf = ({ organizationId, expenseId, beforeId, limit }: Comments): Sql => sql`
  select c.id, ${commentText} as body from expense_comments c
  where c.organization_id = ${organizationId} and c.expense_id = ${expenseId}
    and c.id < ${beforeId}
  order by c.id desc limit ${limit}::bigint + 1`

export const listComments = (
  reader: Reader,
  { page, ...key }: ExpenseKey & { page: Page },
): Promise<RenderedRow[]> => reader.query<RenderedRow>(commentsOf({ ...key, ...page }))

const reviewText = objectText({
  revision: json(sql`v.revision`),
  action: plain(sql`v.action`),
  reason: text(sql`v.reason`),
  accountId: plain(sql`v.account_id`),
  displayName: nameOf(sql`v.account_id`),
  createdAt: time(sql`v.created_at`),
})

const approvalText = objectText({
  approvalId: plain(sql`a.id`),
  expenseRevision: json(sql`a.expense_revision`),
  state: plain(sql`a.state`),
  cancelled: boolean(sql`a.cancelled_at is not null`),
  approverAddress: plain(sql`a.approver_address`),
  accountId: plain(sql`a.account_id`),
  displayName: nameOf(sql`a.account_id`),
  deadline: time(sql`a.deadline`),
  signedAt: timeOrNull(sql`a.signed_at`),
  digest: plain(sql`a.digest`),
  policyVersion: json(sql`a.policy_version`),
})

export type RenderedExpense = {
  /** From the opening brace to the comments and the submitter's name. */
  head: string
  /** Newest first, one more than `head` has if there are others; null without any. */
  commentIds: string[] | null
  remarks: string
  /** Of the current revision. */
  amount: bigint | null
  /** Of the policy in force at the vault of the current revision; null without one. */
  tiers: { above: string; approvals: number }[] | null
  /** Signatures that count now, or that have paid. */
  signedApprovals: number
}

const headText = fieldsText(
  {
    ...expenseFields,
    revision: json(sql`v.body`),
    revisions: { before: '[', value: sql`v.bodies`, after: ']' },
    comments: { before: '[', value: sql`k.bodies`, after: ']' },
    submitterDisplayName,
  },
  { open: '{' },
)

const remarksText = fieldsText({
  reviews: list(sql`
    select ${reviewText} from expense_reviews v
    where v.organization_id = e.organization_id and v.expense_id = e.id order by v.id desc`),
  approvals: { before: '[', value: sql`s.bodies`, after: ']' },
})

/** Those that count are signed, or have paid, for the current revision. */
const approvalsOf = ({ organizationId, expenseId }: ExpenseKey): Sql => sql`
  select string_agg(${approvalText}, ',' order by a.id desc) as bodies, count(*) filter (
    where a.expense_revision = e.current_revision and a.state in ('signed', 'consumed')) as signed
  from approvals a
  where a.organization_id = ${organizationId} and a.expense_id = ${expenseId}`

/** All revisions, newest first, each rendered once. Unsorted rows would be rendered twice. */
const revisionsOf = ({ organizationId, expenseId }: ExpenseKey): Sql => sql`
  select string_agg(x.body, ',' order by x.revision desc) as bodies,
    max(x.body) filter (where x.revision = e.current_revision) as body,
    max(x.amount) filter (where x.revision = e.current_revision) as amount,
    max(x.vault_id::text) filter (where x.revision = e.current_revision) as vault_id
  from (
    select r.revision, r.amount, r.vault_id, ${revisionText} as body from expense_revisions r
    where r.organization_id = ${organizationId} and r.expense_id = ${expenseId}
    order by r.revision desc) x`

type Reading = Comments & { onlyOf: string | null }

const expenseStatement = (isVisible: (of: Reading) => Sql) =>
  composedOnce<Reading>(
    (of) => sql`
    select ${headText} as head, k.ids as "commentIds", ${remarksText} as remarks, v.amount, (
        select y.tiers from vaults u
        join policies y on y.organization_id = u.organization_id and y.vault_id = u.id
          and y.version = u.policy_version
        where u.organization_id = e.organization_id and u.id = v.vault_id::uuid) as tiers,
      s.signed as "signedApprovals"
    from expenses e
    cross join lateral (${revisionsOf(of)}) v
    cross join lateral (
      select array_agg(c.id order by c.id desc) as ids, array_to_string(
        (array_agg(c.body order by c.id desc))[:${of.limit}::integer], ',') as bodies
      from (${commentsOf(of)}) c) k
    cross join lateral (${approvalsOf(of)}) s
    where e.organization_id = ${of.organizationId} and e.id = ${of.expenseId}
      and ${isVisible(of)}`,
  )

const anyExpense = expenseStatement(() => sql`true`)
const visibleExpense = expenseStatement(({ onlyOf }) => isVisibleExpense(onlyOf))

/**
 * An expense with the newest comments, in one statement: several that mostly find nothing cost more
 * than the expense. Undefined when it does not exist or `onlyOf` may not see it.
 */
export async function findRenderedExpense(
  reader: Reader,
  { comments, ...of }: ExpenseKey & { onlyOf: string | null; comments: Page },
): Promise<RenderedExpense | undefined> {
  const statement = of.onlyOf === null ? anyExpense : visibleExpense
  const [row] = await reader.query<RenderedExpense>(statement({ ...of, ...comments }))
  return row
}
