/**
 * Job that turns a submitted revision into a report. A run is taken under a lease with a fencing
 * token, so a stale worker writes nothing. The checks run in the transaction that writes the
 * report, so that report and consequences reflect the same moment. Only the model is asked outside
 * it.
 */
import { canonicalHash } from '@countersign/proof/digest.ts'
import type { Context } from '#context.ts'
import {
  type ExpenseRow,
  findRevision,
  lockExpense,
  type RevisionRow,
} from '#expenses/expenses.store.ts'
import { moveExpense } from '#expenses/move-expense.ts'
import { SYSTEM } from '#journal/actor.ts'
import { findTrailHead } from '#journal/journal.store.ts'
import { requireMacKeys } from '#payments/accepted-keys.ts'
import { lockAutomaticSums } from '#payments/automatic.store.ts'
import { automaticUntil } from '#payments/payment.ts'
import { releasePayment } from '#payments/release-payment.ts'
import { findIsPaidByAnother, lockSpending, reservePayment } from '#payments/reserve-payment.ts'
import { sealReport } from '#payments/worker-mac.ts'
import type { Tx } from '#platform/database/database.ts'
import { isUnavailable } from '#platform/errors.ts'
import type { JobPayloads } from '#platform/jobs/jobs.ts'
import type { AnalystOpinion } from '#ports/analyst.ts'
import type { PolicyRow } from '#treasury/policies.store.ts'
import { spendingRefusal } from '#treasury/spending.ts'
import { lockVault } from '#treasury/vaults.store.ts'
import {
  type AgentRun,
  endLease,
  findRun,
  insertReport,
  lockRun,
  renewLease,
} from './analysis.store.ts'
import { findFacts } from './facts.store.ts'
import { moveRun } from './move-run.ts'
import {
  isClean,
  type ReportOutput,
  reportOutput,
  withOpinion,
  withoutOpinion,
} from './report-output.ts'
import { ANALYSIS_FAILED, enqueueRun } from './submit-expense.ts'

export const TRIES_MAX = 3
const LEASE_SECONDS = 15
const HEARTBEAT_EVERY_MS = 4_000
const RETRY_AFTER_SECONDS = 2

type RunContext = Pick<Context, 'db' | 'clock' | 'ids' | 'log' | 'analyst' | 'config' | 'secrets'>
type RunKey = JobPayloads['analyze_expense']
type LeasedRun = { run: AgentRun; expense: ExpenseRow; revision: RevisionRow }

export async function runAnalysis(ctx: RunContext, key: RunKey): Promise<void> {
  const leased = await leaseRun(ctx, key)
  if (leased === undefined) return
  try {
    const opinion = await askModel(ctx, leased)
    await report(ctx, leased, opinion)
  } catch (error) {
    ctx.log.warn({ runId: key.runId, attempt: leased.run.attempts, err: error }, 'analysis failed')
    await releaseRun(ctx, leased)
  }
}

/**
 * Undefined when there is nothing to do now. If another worker holds the lease, a later job
 * retries.
 */
async function leaseRun(ctx: RunContext, key: RunKey): Promise<LeasedRun | undefined> {
  const { organizationId } = key
  return ctx.db.transaction({ organizationId }, async (tx) => {
    const locked = await lockBoth(tx, key)
    if (!locked || (locked.run.state !== 'queued' && locked.run.state !== 'running')) return
    const { run, expense } = locked
    if (run.isTaken) {
      retryLater(tx, { key, inSeconds: run.leaseLeftMs / 1000 })
      return
    }
    if (run.attempts >= TRIES_MAX) return failRun(ctx, tx, { run, expense })
    const { id: expenseId, currentRevision } = expense
    const terms = { organizationId, expenseId, revision: currentRevision }
    const revision = await findRevision(tx, terms)
    if (!revision) throw new Error(`Expense ${expenseId} has no revision ${currentRevision}`)
    const started = await moveRun(ctx, tx, { run, event: 'start', leaseSeconds: LEASE_SECONDS })
    const isFirst = expense.state === 'analysis_queued'
    const moved = isFirst
      ? await moveExpense(ctx, tx, { expense, event: 'start_analysis', actor: SYSTEM })
      : expense
    return { run: started, expense: moved, revision }
  })
}

/** Locks the expense first, as everyone does, to avoid deadlocks. */
async function lockBoth(tx: Tx, { organizationId, runId }: RunKey) {
  const found = await findRun(tx, { organizationId, runId })
  if (!found) return undefined
  const expense = await lockExpense(tx, { organizationId, expenseId: found.expenseId })
  const run = await lockRun(tx, { organizationId, runId })
  return expense && run ? { expense, run } : undefined
}

/** No later worker has taken the run, and it has not ended. */
const isOurs = (run: AgentRun, leased: AgentRun): boolean =>
  run.state === 'running' && run.leaseEpoch === leased.leaseEpoch

const retryLater = (tx: Tx, { key, inSeconds }: { key: RunKey; inSeconds: number }): void =>
  enqueueRun(tx, key, inSeconds)

async function failRun(
  ctx: RunContext,
  tx: Tx,
  { run, expense }: Pick<LeasedRun, 'run' | 'expense'>,
): Promise<undefined> {
  await moveRun(ctx, tx, { run, event: 'fail', failureCode: 'tries_spent' })
  await moveExpense(ctx, tx, {
    expense,
    event: 'fail_analysis',
    actor: SYSTEM,
    blockCode: ANALYSIS_FAILED,
  })
}

/** Undefined without a configured model; `unavailable` when it gave no usable answer in time. */
async function askModel(
  ctx: RunContext,
  { run, expense, revision }: LeasedRun,
): Promise<AnalystOpinion | 'unavailable' | undefined> {
  const { analyst } = ctx
  if (!analyst) return undefined
  const { organizationId, id: runId, leaseEpoch } = run
  const now = ctx.clock.now().toISOString()
  const rules = await ctx.db.transaction({ organizationId }, async (tx) =>
    reportOutput(await findFacts(tx, { expense, revision, now, limits: ctx.config.limits })),
  )
  const renew = () =>
    ctx.db.transaction({ organizationId }, (tx) =>
      renewLease(tx, { organizationId, runId, leaseEpoch, seconds: LEASE_SECONDS }),
    )
  // A failed heartbeat is no reason to stop: the report is written only while the lease is ours.
  const heartbeat = setInterval(() => void renew().catch(() => {}), HEARTBEAT_EVERY_MS)
  try {
    return await analyst.review({
      purpose: revision.purpose,
      recipientLabel: revision.recipientLabel,
      amountBaseUnits: revision.amount.toString(),
      requestedMode: revision.requestedMode,
      rules,
    })
  } catch (error) {
    if (!isUnavailable(error)) throw error
    ctx.log.warn({ runId, err: error }, 'the model gave no usable answer; a person must review')
    return 'unavailable'
  } finally {
    clearInterval(heartbeat)
  }
}

function merged(
  { analyst }: RunContext,
  rules: ReportOutput,
  opinion: AnalystOpinion | 'unavailable' | undefined,
): ReportOutput {
  if (!analyst || opinion === undefined) return rules
  if (opinion === 'unavailable') return withoutOpinion(rules, analyst)
  return withOpinion(rules, opinion, analyst)
}

async function report(
  ctx: RunContext,
  { run: leased, revision }: LeasedRun,
  opinion: AnalystOpinion | 'unavailable' | undefined,
): Promise<void> {
  const { organizationId, id: runId } = leased
  await ctx.db.transaction({ organizationId }, async (tx) => {
    const locked = await lockBoth(tx, { organizationId, runId })
    if (!locked || !isOurs(locked.run, leased)) return
    const { expense, run } = locked
    // Two concurrent clean reports must not both count on the same balance.
    await lockVault(tx, { organizationId, vaultId: revision.vaultId })
    // Analyses for two vaults must not both use the rest of the organization's limit.
    if (revision.requestedMode === 'automatic') lockAutomaticSums(tx, organizationId)
    const at = ctx.clock.now()
    const [facts, auditHead] = await Promise.all([
      findFacts(tx, { expense, revision, now: at.toISOString(), limits: ctx.config.limits }),
      findTrailHead(tx, organizationId),
    ])
    const output = { ...merged(ctx, reportOutput(facts), opinion), auditHead }
    const reportId = ctx.ids.next()
    const reportHash = canonicalHash(output)
    const { expenseId, expenseRevision } = run
    const content = { organizationId, expenseId, expenseRevision, runId, reportHash, output }
    const { versionHash, vaultId, recipientAddress, amount } = revision
    const terms = { versionHash, vaultId, recipientAddress, amount, revision: expenseRevision }
    const seal = sealReport(requireMacKeys(ctx.secrets), { ...content, ...terms })
    insertReport(tx, { ...content, id: reportId, seal, at })
    await moveRun(ctx, tx, { run, event: 'succeed' })
    const reported = { reportId, data: { reportId, reportHash, riskScore: output.riskScore } }
    const policy = await automaticPolicy(ctx, tx, { expense, revision, output })
    const event = policy ? 'clear' : 'flag'
    const moved = await moveExpense(ctx, tx, { expense, event, actor: SYSTEM, ...reported })
    if (!policy) return
    const payment = await reservePayment(ctx, tx, {
      expense: moved,
      revision,
      report: { id: reportId, reportHash },
      authorization: automaticUntil(at, policy.expiresAt),
      actor: SYSTEM,
    })
    if (ctx.config.paymentRelease === 'manual') return
    await releasePayment(ctx, tx, { payment, actor: SYSTEM })
  })
}

/** The policy under which it is paid automatically; undefined when a person must decide. */
async function automaticPolicy(
  ctx: RunContext,
  tx: Tx,
  { expense, revision, output }: Omit<LeasedRun, 'run'> & { output: ReportOutput },
): Promise<PolicyRow | undefined> {
  if (revision.requestedMode !== 'automatic' || !isClean(output)) return undefined
  const { organizationId } = expense
  const spending = await lockSpending(ctx, tx, { organizationId, revision, mode: 'automatic' })
  if (spendingRefusal(spending)) return undefined
  const isPaid = await findIsPaidByAnother(tx, expense, spending.vault)
  return isPaid ? undefined : spending.policy
}

/** Ends a failed attempt: schedules the next one, or blocks the expense after the last. */
async function releaseRun(ctx: RunContext, { run: leased }: LeasedRun): Promise<void> {
  const { organizationId, id: runId, leaseEpoch } = leased
  await ctx.db.transaction({ organizationId }, async (tx) => {
    const locked = await lockBoth(tx, { organizationId, runId })
    if (!locked || !isOurs(locked.run, leased)) return
    if (locked.run.attempts >= TRIES_MAX) return failRun(ctx, tx, locked)
    endLease(tx, { organizationId, runId, leaseEpoch })
    const inSeconds = RETRY_AFTER_SECONDS ** locked.run.attempts
    return retryLater(tx, { key: { organizationId, runId }, inSeconds })
  })
}
