/** SQL for expenses and their revisions; `expense-texts.store.ts` renders them for readers. */
import sql, { type Sql } from 'sql-template-tag'
import type { MediaType } from '#attachments/attachment.ts'
import { isVisibleExpense } from '#organizations/visible-expenses.store.ts'
import type { BlockCode } from '#platform/block-codes.ts'
import type { Reader, Tx } from '#platform/database/database.ts'
import type { ExpenseState } from './expense.machine.ts'

export type RequestedMode = 'approved' | 'automatic'

export type ExpenseRow = {
  id: string
  organizationId: string
  submitterAccountId: string
  submitterDisplayName: string | null
  paymentId: string
  currentRevision: number
  state: ExpenseState
  /** Why the expense is blocked; null in other states. */
  blockCode: BlockCode | null
  currentReportId: string | null
  createdAt: string
  updatedAt: string
}

/** An attachment as a revision has it. */
export type RevisionAttachment = {
  id: string
  name: string
  mediaType: MediaType
  sizeBytes: number
  sha256: string
}

export type RevisionRow = {
  expenseId: string
  revision: number
  vaultId: string
  purpose: string
  recipientId: string
  recipientLabel: string
  /** Lower case. */
  recipientAddress: string
  amount: bigint
  requestedMode: RequestedMode
  /** In their order; null when there are none. */
  attachments: RevisionAttachment[] | null
  category: string | null
  categoryName: string | null
  reference: string | null
  /** Such as 2030-01-31. */
  dueDate: string | null
  reason: string | null
  versionHash: string
  authorAccountId: string
  createdAt: string
}

const expenseColumns = sql`
  e.id, e.organization_id as "organizationId", e.submitter_account_id as "submitterAccountId",
  e.payment_id as "paymentId", e.current_revision as "currentRevision", e.state,
  e.block_code as "blockCode", e.current_report_id as "currentReportId",
  e.created_at as "createdAt", e.updated_at as "updatedAt",
  (select p.display_name from profiles p where p.account_id = e.submitter_account_id)
    as "submitterDisplayName"`

const revisionColumns = sql`
  r.expense_id as "expenseId", r.revision, r.vault_id as "vaultId", r.purpose,
  r.recipient_id as "recipientId", r.recipient_label as "recipientLabel",
  r.recipient_address as "recipientAddress", r.amount, r.requested_mode as "requestedMode",
  r.category, r.category_name as "categoryName", r.reference, r.due_date::text as "dueDate",
  case when r.attachment_count > 0 then (
    select json_agg(json_build_object('id', a.id, 'name', a.name, 'mediaType', a.media_type,
      'sizeBytes', a.size_bytes, 'sha256', x.sha256) order by x.position)
    from revision_attachments x
    join attachments a on a.organization_id = x.organization_id and a.id = x.attachment_id
    where x.organization_id = r.organization_id and x.expense_id = r.expense_id
      and x.revision = r.revision) end as attachments,
  r.reason, r.version_hash as "versionHash", r.author_account_id as "authorAccountId",
  r.created_at as "createdAt"`

export type ExpenseKey = { organizationId: string; expenseId: string }

export type NewRevision = Omit<RevisionRow, 'createdAt'> & {
  organizationId: string
  purposeKey: Uint8Array
  referenceKey: Uint8Array | null
  createdAt: Date
}

/** Text that sorts like the amount. */
export const amountKey = (amount: bigint): string => amount.toString().padStart(39, '0')

/** An expense with its first revision, in one statement. */
export function insertExpense(
  tx: Tx,
  row: Pick<ExpenseRow, 'id' | 'organizationId' | 'submitterAccountId' | 'paymentId'> & {
    at: Date
  },
  first: NewRevision,
): void {
  tx.write(sql`
    with expense as (
      insert into expenses (id, organization_id, submitter_account_id, payment_id,
        current_revision, state, created_at, updated_at)
      values (${row.id}, ${row.organizationId}, ${row.submitterAccountId}, ${row.paymentId},
        ${first.revision}, 'draft', ${row.at}, ${row.at}))
    ${revisionInsert(first)}`)
  insertRevisionAttachments(tx, first)
}

export function insertRevision(tx: Tx, row: NewRevision): void {
  tx.write(revisionInsert(row))
  insertRevisionAttachments(tx, row)
}

const revisionInsert = (row: NewRevision): Sql => sql`
  insert into expense_revisions (organization_id, expense_id, revision, vault_id, recipient_id,
    recipient_label, recipient_address, amount, amount_key, requested_mode, purpose, purpose_key,
    reason, version_hash, author_account_id, created_at, category, category_name, reference,
    reference_key, due_date, attachment_count)
  values (${row.organizationId}, ${row.expenseId}, ${row.revision}, ${row.vaultId},
    ${row.recipientId}, ${row.recipientLabel}, ${row.recipientAddress}, ${row.amount},
    ${amountKey(row.amount)}, ${row.requestedMode}, ${row.purpose}, ${row.purposeKey},
    ${row.reason}, ${row.versionHash}, ${row.authorAccountId}, ${row.createdAt}, ${row.category},
    ${row.categoryName}, ${row.reference}, ${row.referenceKey}, ${row.dueDate}::date,
    ${row.attachments?.length ?? 0})`

function insertRevisionAttachments(
  tx: Tx,
  { organizationId, expenseId, revision, attachments }: NewRevision,
): void {
  if (!attachments) return
  tx.write(sql`
    insert into revision_attachments (organization_id, expense_id, revision, position,
      attachment_id, sha256)
    select ${organizationId}, ${expenseId}, ${revision}, n.number - 1, n.id, n.sha256
    from unnest(${attachments.map(({ id }) => id)}::uuid[],
      ${attachments.map(({ sha256 }) => sha256)}::text[])
      with ordinality as n (id, sha256, number)`)
}

/** Undefined when the expense does not exist or `onlyOf` may not see it. */
export async function findExpense(
  tx: Reader,
  { organizationId, expenseId, onlyOf }: ExpenseKey & { onlyOf: string | null },
): Promise<ExpenseRow | undefined> {
  const [row] = await tx.query<ExpenseRow>(sql`
    select ${expenseColumns} from expenses e
    where e.organization_id = ${organizationId} and e.id = ${expenseId}
      and ${isVisibleExpense(onlyOf)}`)
  return row
}

/** By its id, or by the id of its payment. */
export async function findExpenseOrPayment(
  tx: Reader,
  { organizationId, id }: { organizationId: string; id: string },
): Promise<ExpenseRow | undefined> {
  const [row] = await tx.query<ExpenseRow>(sql`
    select ${expenseColumns} from expenses e
    where e.organization_id = ${organizationId} and (e.id = ${id} or e.payment_id = ${id})`)
  return row
}

export async function lockExpense(
  tx: Tx,
  { organizationId, expenseId }: ExpenseKey,
): Promise<ExpenseRow | undefined> {
  const [row] = await tx.query<ExpenseRow>(sql`
    select ${expenseColumns} from expenses e
    where e.organization_id = ${organizationId} and e.id = ${expenseId} for no key update`)
  return row
}

/** Locks in payment-id order, as every caller that needs several does. */
export async function lockExpensesOf(
  tx: Tx,
  { organizationId, paymentIds }: { organizationId: string; paymentIds: readonly string[] },
): Promise<ExpenseRow[]> {
  return tx.query<ExpenseRow>(sql`
    select ${expenseColumns} from expenses e
    where e.organization_id = ${organizationId} and e.payment_id = any(${paymentIds}::uuid[])
    order by e.payment_id for no key update`)
}

/** Locks in payment-id order too. */
export const lockExpenses = (
  tx: Tx,
  { organizationId, expenseIds }: { organizationId: string; expenseIds: readonly string[] },
): Promise<unknown> =>
  tx.query(sql`
    select from expenses e
    where e.organization_id = ${organizationId} and e.id = any(${expenseIds}::uuid[])
    order by e.payment_id for no key update`)

export async function findRevision(
  tx: Tx,
  { organizationId, expenseId, revision }: ExpenseKey & { revision: number },
): Promise<RevisionRow | undefined> {
  const [row] = await tx.query<RevisionRow>(sql`
    select ${revisionColumns} from expense_revisions r
    where r.organization_id = ${organizationId} and r.expense_id = ${expenseId}
      and r.revision = ${revision}`)
  return row
}

export async function countComments(
  tx: Reader,
  { organizationId, expenseId }: ExpenseKey,
): Promise<number> {
  const [row] = await tx.query<{ count: number }>(sql`
    select count(*) as count from expense_comments
    where organization_id = ${organizationId} and expense_id = ${expenseId}`)
  return row?.count ?? 0
}

export function insertComment(
  tx: Tx,
  row: ExpenseKey & { id: string; authorAccountId: string; body: string; at: Date },
): void {
  tx.write(sql`
    insert into expense_comments (id, organization_id, expense_id, author_account_id, body,
      created_at)
    values (${row.id}, ${row.organizationId}, ${row.expenseId}, ${row.authorAccountId},
      ${row.body}, ${row.at})`)
}

/** A reserved or signed payment may still be executed, so only the payment may move the expense. */
export async function findHasLivePayment(
  tx: Tx,
  { organizationId, paymentId }: Pick<ExpenseRow, 'organizationId' | 'paymentId'>,
): Promise<boolean> {
  const rows = await tx.query(sql`
    select 1 as found from live_payments
    where organization_id = ${organizationId} and id = ${paymentId}
    union all
    select 1 from payments
    where organization_id = ${organizationId} and id = ${paymentId}
      and state = 'blocked' and block_code = 'payment_already_executed'`)
  return rows.length > 0
}

export function markSubmitted(
  tx: Tx,
  { organizationId, expenseId, revision, at }: ExpenseKey & { revision: number; at: Date },
): void {
  tx.write(sql`
    update expense_revisions set submitted_at = ${at}
    where organization_id = ${organizationId} and expense_id = ${expenseId}
      and revision = ${revision}`)
}

/** Only `moveExpenses` calls this. Returns the ids that this statement actually updated. */
export async function updateExpenseStates(
  tx: Tx,
  moves: readonly {
    expense: ExpenseRow
    to: ExpenseState
    blockCode: BlockCode | null
    revision: number
    reportId: string | null
    at: Date
  }[],
): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(sql`
    update expenses as e set state = n.new_state, block_code = n.block_code,
      current_revision = n.revision, current_report_id = n.report_id, updated_at = n.at
    from unnest(${moves.map(({ expense }) => expense.organizationId)}::uuid[],
      ${moves.map(({ expense }) => expense.id)}::uuid[],
      ${moves.map(({ expense }) => expense.state)}::text[],
      ${moves.map(({ expense }) => expense.currentRevision)}::integer[],
      ${moves.map(({ to }) => to)}::text[], ${moves.map(({ blockCode }) => blockCode)}::text[],
      ${moves.map(({ revision }) => revision)}::integer[],
      ${moves.map(({ reportId }) => reportId)}::uuid[],
      ${moves.map(({ at }) => at)}::timestamptz[])
      as n (organization_id, id, old_state, old_revision, new_state, block_code, revision,
        report_id, at)
    where e.organization_id = n.organization_id and e.id = n.id
      and e.state = n.old_state and e.current_revision = n.old_revision
    returning e.id`)
  return rows.map(({ id }) => id)
}
