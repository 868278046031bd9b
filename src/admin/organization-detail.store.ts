/** SQL for the operators' view of one organization, newest first. Needs the observer's login. */
import sql, { type Sql } from 'sql-template-tag'
import type { Report } from '#analysis/analysis.store.ts'
import type { ApprovalState } from '#approvals/approval.machine.ts'
import type { ShownPayment } from '#payments/payment.ts'
import type { ReceiptRow } from '#payments/payments.store.ts'
import type { Tx } from '#platform/database/database.ts'
import type { CaseRow, NoteRow } from '#support/support.store.ts'
import {
  attemptColumns,
  type FailedAttemptRow,
  paymentColumns,
  type RunRow,
  runColumns,
} from './failures.store.ts'

/** `expenseId` and `paymentId` narrow the rows to one expense and its payment. */
export type Of = {
  organizationId: string
  limit: number
  expenseId?: string
  paymentId?: string
}

const only = (column: Sql, value: string | undefined): Sql =>
  value === undefined ? sql`true` : sql`${column} = ${value}`

/** A lookup for each row: the planner would rather join many profiles for a few rows. */
const displayNameOf = (accountId: Sql): Sql =>
  sql`(select p.display_name from profiles p where p.account_id = ${accountId})`

export type DetailCommentRow = {
  id: string
  expenseId: string
  authorAccountId: string
  displayName: string | null
  body: string
  createdAt: string
}

export async function listOrganizationComments(tx: Tx, of: Of): Promise<DetailCommentRow[]> {
  return tx.query<DetailCommentRow>(sql`
    select c.id, c.expense_id as "expenseId", c.author_account_id as "authorAccountId",
      ${displayNameOf(sql`c.author_account_id`)} as "displayName", c.body,
      c.created_at as "createdAt"
    from expense_comments c
    where c.organization_id = ${of.organizationId} and ${only(sql`c.expense_id`, of.expenseId)}
    order by c.id desc limit ${of.limit}`)
}

export async function listOrganizationReports(tx: Tx, of: Of): Promise<Report[]> {
  return tx.query<Report>(sql`
    select id, organization_id as "organizationId", expense_id as "expenseId",
      expense_revision as "expenseRevision", run_id as "runId", version,
      report_hash as "reportHash", output, created_at as "createdAt"
    from reports
    where organization_id = ${of.organizationId} and ${only(sql`expense_id`, of.expenseId)}
    order by id desc limit ${of.limit}`)
}

export async function listOrganizationRuns(tx: Tx, of: Of): Promise<RunRow[]> {
  return tx.query<RunRow>(sql`
    select ${runColumns} from agent_runs r
    where r.organization_id = ${of.organizationId} and ${only(sql`r.expense_id`, of.expenseId)}
    order by r.id desc limit ${of.limit}`)
}

export type ApprovalView = {
  id: string
  organizationId: string
  expenseId: string
  expenseRevision: number
  vaultId: string
  accountId: string
  displayName: string | null
  approverAddress: string
  policyVersion: number
  reportHash: string
  expenseVersionHash: string
  deadline: string
  digest: string
  state: ApprovalState
  cancelledAt: string | null
  endCode: string | null
  invalidationTransactionHash: string | null
  createdAt: string
  updatedAt: string
}

/** Omits the typed data and the signature, which together would allow a payment. */
export async function listOrganizationApprovals(tx: Tx, of: Of): Promise<ApprovalView[]> {
  return tx.query<ApprovalView>(sql`
    select a.id, a.organization_id as "organizationId", a.expense_id as "expenseId",
      a.expense_revision as "expenseRevision", a.vault_id as "vaultId",
      a.account_id as "accountId", ${displayNameOf(sql`a.account_id`)} as "displayName",
      a.approver_address as "approverAddress", a.policy_version as "policyVersion",
      a.report_hash as "reportHash", a.expense_version_hash as "expenseVersionHash", a.deadline,
      a.digest, a.state, a.cancelled_at as "cancelledAt", a.end_code as "endCode",
      a.invalidation_transaction_hash as "invalidationTransactionHash",
      a.created_at as "createdAt", a.updated_at as "updatedAt"
    from approvals a
    where a.organization_id = ${of.organizationId} and ${only(sql`a.expense_id`, of.expenseId)}
    order by a.id desc limit ${of.limit}`)
}

export type AuditView = {
  id: string
  seq: number
  action: string
  actorRealm: 'consumer' | 'admin' | 'system'
  actorAccountId: string | null
  displayName: string | null
  aggregateType: string
  aggregateId: string
  data: Record<string, unknown>
  requestId: string | null
  occurredAt: string
  hash: string
}

const auditColumns = sql`
  id, seq, action, actor_realm as "actorRealm", actor_account_id as "actorAccountId",
  (select p.display_name from profiles p where p.account_id = actor_account_id) as "displayName",
  aggregate_type as "aggregateType", aggregate_id as "aggregateId", data,
  request_id as "requestId", occurred_at as "occurredAt", encode(hash, 'hex') as hash`

export async function listOrganizationAudit(tx: Tx, of: Of): Promise<AuditView[]> {
  return tx.query<AuditView>(sql`
    select ${auditColumns} from audit_events where organization_id = ${of.organizationId}
    order by seq desc limit ${of.limit}`)
}

/** What the trail says about these things, whatever their kinds. */
export async function listAuditAbout(
  tx: Tx,
  of: { organizationId: string; limit: number; ids: readonly string[] },
): Promise<AuditView[]> {
  return tx.query<AuditView>(sql`
    select ${auditColumns} from audit_events
    where organization_id = ${of.organizationId} and aggregate_id = any(${of.ids}::text[])
    order by seq desc limit ${of.limit}`)
}

export async function listOrganizationPayments(tx: Tx, of: Of): Promise<ShownPayment[]> {
  return tx.query<ShownPayment>(sql`
    select ${paymentColumns} from payments p
    where p.organization_id = ${of.organizationId} and ${only(sql`p.id`, of.paymentId)}
    order by p.id desc limit ${of.limit}`)
}

export async function listOrganizationAttempts(tx: Tx, of: Of): Promise<FailedAttemptRow[]> {
  return tx.query<FailedAttemptRow>(sql`
    select ${attemptColumns} from payment_attempts a
    where a.organization_id = ${of.organizationId} and ${only(sql`a.payment_id`, of.paymentId)}
    order by a.id desc limit ${of.limit}`)
}

/** More than a lane ever has in flight. */
const NONCES_BACK = 64

/** Open attempts of other payments of the executor, which the chain has to mine before this one. */
export async function listAttemptsAhead(
  tx: Tx,
  {
    organizationId,
    paymentId,
    laneId,
    nonce,
  }: { organizationId: string; paymentId: string; laneId: string; nonce: number },
): Promise<FailedAttemptRow[]> {
  return tx.query<FailedAttemptRow>(sql`
    select ${attemptColumns} from payment_attempts a
    where a.organization_id = ${organizationId} and a.lane_id = ${laneId}
      and a.nonce < ${nonce} and a.nonce >= ${nonce - NONCES_BACK}
      and a.payment_id <> ${paymentId} and a.state in ('written', 'sent')
    order by a.nonce, a.fee_rank`)
}

export type ReceiptView = Omit<ReceiptRow, 'logIndex' | 'execution'> & { paymentId: string }

export async function listOrganizationReceipts(tx: Tx, of: Of): Promise<ReceiptView[]> {
  return tx.query<ReceiptView>(sql`
    select payment_id as "paymentId", transaction_hash as "transactionHash",
      block_number as "blockNumber", block_hash as "blockHash", status, gas_used as "gasUsed",
      effective_gas_price as "effectiveGasPrice", confirmed_at as "confirmedAt"
    from payment_receipts
    where organization_id = ${of.organizationId} and ${only(sql`payment_id`, of.paymentId)}
    order by confirmed_at desc, payment_id desc limit ${of.limit}`)
}

/** Of an expense: cases that name it or its payment. */
const aboutExpense = ({ expenseId, paymentId }: Of): Sql =>
  expenseId === undefined
    ? sql`true`
    : sql`(c.expense_id = ${expenseId} or c.payment_id = ${paymentId})`

export async function listOrganizationCases(tx: Tx, of: Of): Promise<CaseRow[]> {
  return tx.query<CaseRow>(sql`
    select c.id, c.organization_id as "organizationId",
      c.opened_by_account_id as "openedByAccountId",
      ${displayNameOf(sql`c.opened_by_account_id`)} as "displayName",
      c.expense_id as "expenseId", c.payment_id as "paymentId", c.subject, c.priority, c.state,
      c.created_at as "createdAt", c.updated_at as "updatedAt"
    from support_cases c
    where c.organization_id = ${of.organizationId} and ${aboutExpense(of)}
    order by c.id desc limit ${of.limit}`)
}

export async function listOrganizationNotes(tx: Tx, of: Of): Promise<NoteRow[]> {
  return tx.query<NoteRow>(sql`
    select id, organization_id as "organizationId", support_case_id as "supportCaseId",
      author_account_id as "authorAccountId", body, state_after as "stateAfter",
      is_visible_to_customer as "visibleToCustomer", created_at as "createdAt"
    from support_notes where organization_id = ${of.organizationId}
    order by id desc limit ${of.limit}`)
}
