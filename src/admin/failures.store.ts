/** SQL for failures and overview counts across tenants. Needs the observer's login. */
import sql from 'sql-template-tag'
import type { AgentRunState } from '#analysis/agent-run.machine.ts'
import type { ShownPayment } from '#payments/payment.ts'
import { type AttemptRecord, isAwaitingPeriod } from '#payments/payments.store.ts'
import type { Tx } from '#platform/database/database.ts'

export type OverviewCounts = {
  organizations: number
  activeAnalysisRuns: number
  failedAnalysisRuns: number
  failedPayments: number
  reconcilingPayments: number
  openSupportCases: number
  unrecordedPayments: number
}

export async function findOverviewCounts(tx: Tx): Promise<OverviewCounts> {
  const [row] = await tx.query<OverviewCounts>(sql`
    select (select count(*) from organizations) as organizations,
      (select count(*) from agent_runs where state in ('queued', 'running'))
        as "activeAnalysisRuns",
      (select count(*) from agent_runs where state = 'failed') as "failedAnalysisRuns",
      (select count(*) from payments where state in ('failed', 'blocked')) as "failedPayments",
      (select count(*) from payments where state = 'reconciling') as "reconcilingPayments",
      (select count(*) from support_cases where state <> 'resolved') as "openSupportCases",
      (select count(*) from unrecorded_payments where state = 'open') as "unrecordedPayments"`)
  if (!row) throw new Error('The overview query returned no row')
  return row
}

export type RunRow = {
  id: string
  organizationId: string
  expenseId: string
  expenseRevision: number
  state: AgentRunState
  attempts: number
  failureCode: string | null
  createdAt: string
  updatedAt: string
}

export const runColumns = sql`
  r.id, r.organization_id as "organizationId", r.expense_id as "expenseId",
  r.expense_revision as "expenseRevision", r.state, r.attempts, r.failure_code as "failureCode",
  r.created_at as "createdAt", r.updated_at as "updatedAt"`

/** Excludes the signed transactions and signatures, which operators must not read. */
export const paymentColumns = sql`
  p.id, p.organization_id as "organizationId", p.expense_id as "expenseId",
  p.expense_revision as "expenseRevision", p.expense_version_hash as "expenseVersionHash",
  p.chain_payment_id as "chainPaymentId", p.mode, p.recipient_address as "recipientAddress",
  p.token_address as "tokenAddress", p.amount, p.policy_version as "policyVersion",
  p.report_hash as "reportHash", p.approval_id as "approvalId",
  p.approval_digest as "approvalDigest",
  case when ${isAwaitingPeriod} then p.period_ends_at end as "postponedUntil",
  p.required_approvals as "requiredApprovals", (
    select coalesce(array_agg(s.approval_id), '{}') from payment_signatures s
    where s.organization_id = p.organization_id and s.payment_id = p.id
      and s.epoch = p.epoch) as signatures,
  p.deadline, p.state, p.block_code as "blockCode",
  p.executor_binding_id as "executorBindingId",
  p.executor_provider_type as "executorProviderType", p.executor_address as "executorAddress",
  p.provider_reference as "providerReference", p.transaction_hash as "transactionHash",
  p.created_at as "createdAt", p.updated_at as "updatedAt"`

export type FailedAttemptRow = AttemptRecord & { organizationId: string; paymentId: string }

export const attemptColumns = sql`
  a.id, a.organization_id as "organizationId", a.payment_id as "paymentId", a.number,
  a.executor_address as "executorAddress", a.nonce, a.transaction_hash as "transactionHash",
  a.state, a.max_fee_per_gas as "maxFeePerGas", a.error_code as "errorCode",
  a.created_at as "createdAt", a.updated_at as "updatedAt"`

/** Most recent failures first, here and below. */
export async function listFailedRuns(tx: Tx, limit: number): Promise<RunRow[]> {
  return tx.query<RunRow>(sql`
    select ${runColumns} from agent_runs r where r.state = 'failed'
    order by r.updated_at desc, r.id desc limit ${limit}`)
}

export async function listFailedPayments(tx: Tx, limit: number): Promise<ShownPayment[]> {
  return tx.query<ShownPayment>(sql`
    select ${paymentColumns} from payments p where p.state in ('failed', 'blocked')
    order by p.updated_at desc, p.id desc limit ${limit}`)
}

export async function listFailedAttempts(tx: Tx, limit: number): Promise<FailedAttemptRow[]> {
  return tx.query<FailedAttemptRow>(sql`
    select ${attemptColumns} from payment_attempts a where a.error_code is not null
    order by a.updated_at desc, a.id desc limit ${limit}`)
}
