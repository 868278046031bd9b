/**
 * SQL for exports, a page at a time. A page continues after the position of the last row, as the
 * database writes it: timestamps in the API are cut to milliseconds.
 */
import sql, { type Sql } from 'sql-template-tag'
import type { ExpenseState } from '#expenses/expense.machine.ts'
import type { Tx } from '#platform/database/database.ts'

/** From `from`, inclusive, to `before`, exclusive. */
export type ExportRange = { organizationId: string; from: Date | null; before: Date }

export type ExportPosition = { positionAt: string; positionId: string }

export type ExportPage = ExportRange & { after: ExportPosition | undefined; limit: number }

type Terms = {
  revision: number
  recipientLabel: string
  recipientAddress: string
  amount: bigint
  purpose: string
  category: string | null
  categoryName: string | null
  reference: string | null
  /** YYYY-MM-DD. */
  dueDate: string | null
  submitterAccountId: string
  submitterName: string | null
  vaultLabel: string
  vaultAddress: string
  chainId: number
}

export type ExportedPayment = Terms &
  ExportPosition & {
    paymentId: string
    expenseId: string
    confirmedAt: string
    mode: 'approved' | 'automatic'
    /** Everybody who signed, in the order of their wallets. Empty for automatic payments. */
    approvers: { accountId: string; displayName: string | null }[]
    transactionHash: string
    blockNumber: number
    executorAddress: string | null
    gasUsed: bigint | null
    effectiveGasPrice: bigint | null
  }

const revisionTerms = sql`
  r.revision, r.recipient_label as "recipientLabel", r.recipient_address as "recipientAddress",
  r.amount, r.purpose, r.category, r.category_name as "categoryName", r.reference,
  r.due_date::text as "dueDate", e.submitter_account_id as "submitterAccountId",
  n.display_name as "submitterName", v.label as "vaultLabel", v.address as "vaultAddress",
  v.chain_id as "chainId"`

const withRevision = (revision: Sql): Sql => sql`
  cross join lateral (select * from expense_revisions x
    where x.organization_id = e.organization_id and x.expense_id = e.id
      and x.revision = ${revision} limit 1) r
  cross join lateral (select x.label, x.address, x.chain_id from vaults x
    where x.organization_id = e.organization_id and x.id = r.vault_id limit 1) v
  left join lateral (select x.display_name from profiles x
    where x.account_id = e.submitter_account_id limit 1) n on true`

const within = (column: Sql, id: Sql, { from, before, after }: ExportPage): Sql => sql`
  ${column} >= ${from ?? '-infinity'}::timestamptz and ${column} < ${before}
  and (${column}, ${id}) > (${after?.positionAt ?? '-infinity'}::timestamptz,
    ${after?.positionId ?? '00000000-0000-0000-0000-000000000000'}::uuid)`

/** Confirmed payments, oldest first. */
export const listConfirmedPayments = (tx: Tx, page: ExportPage): Promise<ExportedPayment[]> =>
  tx.query<ExportedPayment>(sql`
    select c.confirmed_at::text as "positionAt", c.payment_id as "positionId",
      c.payment_id as "paymentId", p.expense_id as "expenseId", c.confirmed_at as "confirmedAt",
      p.mode, a.approvers,
      c.transaction_hash as "transactionHash", c.block_number as "blockNumber",
      p.executor_address as "executorAddress", c.gas_used as "gasUsed",
      c.effective_gas_price as "effectiveGasPrice", ${revisionTerms}
    from (
      select * from payment_receipts c where c.organization_id = ${page.organizationId}
        and ${within(sql`c.confirmed_at`, sql`c.payment_id`, page)}
      order by c.confirmed_at, c.payment_id limit ${page.limit}) c
    cross join lateral (select * from payments x
      where x.organization_id = c.organization_id and x.id = c.payment_id limit 1) p
    cross join lateral (select * from expenses x
      where x.organization_id = p.organization_id and x.id = p.expense_id limit 1) e
    ${withRevision(sql`p.expense_revision`)}
    cross join lateral (
      select coalesce(json_agg(json_build_object('accountId', x.account_id,
        'displayName', y.display_name) order by x.approver_address), '[]') as approvers
      from payment_signatures x
      left join profiles y on y.account_id = x.account_id
      where x.organization_id = p.organization_id and x.payment_id = p.id
        and x.epoch = p.epoch) a
    order by c.confirmed_at, c.payment_id`)

export type ExportedExpense = Terms &
  ExportPosition & {
    expenseId: string
    state: ExpenseState
    createdAt: string
    updatedAt: string
    paidAt: string | null
    transactionHash: string | null
  }

/** Expenses at their current revision, oldest first. */
export const listCreatedExpenses = (tx: Tx, page: ExportPage): Promise<ExportedExpense[]> =>
  tx.query<ExportedExpense>(sql`
    select e.created_at::text as "positionAt", e.id as "positionId", e.id as "expenseId", e.state,
      e.created_at as "createdAt", e.updated_at as "updatedAt", c.confirmed_at as "paidAt",
      c.transaction_hash as "transactionHash", ${revisionTerms}
    from (
      select * from expenses e where e.organization_id = ${page.organizationId}
        and ${within(sql`e.created_at`, sql`e.id`, page)}
      order by e.created_at, e.id limit ${page.limit}) e
    ${withRevision(sql`e.current_revision`)}
    left join lateral (select x.confirmed_at, x.transaction_hash from payment_receipts x
      where x.organization_id = e.organization_id and x.payment_id = e.payment_id limit 1) c
      on true
    order by e.created_at, e.id`)
