/** SQL for agent runs and reports. */
import sql from 'sql-template-tag'
import { isVisibleExpense } from '#organizations/visible-expenses.store.ts'
import type { Seal } from '#payments/worker-mac.ts'
import type { Reader, Tx } from '#platform/database/database.ts'
import type { AgentRunState } from './agent-run.machine.ts'
import type { ReportOutput } from './report-output.ts'

export type AgentRun = {
  id: string
  organizationId: string
  expenseId: string
  expenseRevision: number
  state: AgentRunState
  attempts: number
  leaseEpoch: number
  failureCode: string | null
  createdAt: string
  updatedAt: string
}

const runColumns = sql`
  id, organization_id as "organizationId", expense_id as "expenseId",
  expense_revision as "expenseRevision", state, attempts, lease_epoch as "leaseEpoch",
  failure_code as "failureCode", created_at as "createdAt", updated_at as "updatedAt"`

type RunKey = { organizationId: string; runId: string }

export function insertRun(
  tx: Tx,
  row: Pick<AgentRun, 'id' | 'organizationId' | 'expenseId' | 'expenseRevision'> & { at: Date },
): void {
  tx.write(sql`
    insert into agent_runs (id, organization_id, expense_id, expense_revision, state, created_at,
      updated_at)
    values (${row.id}, ${row.organizationId}, ${row.expenseId}, ${row.expenseRevision}, 'queued',
      ${row.at}, ${row.at})`)
}

export async function findRun(
  tx: Tx,
  { organizationId, runId }: RunKey,
): Promise<AgentRun | undefined> {
  const [row] = await tx.query<AgentRun>(sql`
    select ${runColumns} from agent_runs
    where organization_id = ${organizationId} and id = ${runId}`)
  return row
}

/** `isTaken` and the remaining lease use the database clock, because workers' clocks may differ. */
export async function lockRun(
  tx: Tx,
  { organizationId, runId }: RunKey,
): Promise<(AgentRun & { isTaken: boolean; leaseLeftMs: number }) | undefined> {
  const [row] = await tx.query<AgentRun & { isTaken: boolean; leaseLeftMs: number }>(sql`
    select ${runColumns}, coalesce(lease_until > now(), false) as "isTaken",
      greatest(0, ceil(extract(epoch from lease_until - now()) * 1000))::integer as "leaseLeftMs"
    from agent_runs where organization_id = ${organizationId} and id = ${runId} for update`)
  return row
}

export async function findOpenRun(
  tx: Tx,
  { organizationId, expenseId }: { organizationId: string; expenseId: string },
): Promise<AgentRun | undefined> {
  const [row] = await tx.query<AgentRun>(sql`
    select ${runColumns} from agent_runs
    where organization_id = ${organizationId} and expense_id = ${expenseId}
      and state in ('queued', 'running')`)
  return row
}

/** Only `moveRun` calls this. */
export function updateRunState(
  tx: Tx,
  move: {
    run: AgentRun
    to: AgentRunState
    attempts: number
    leaseEpoch: number
    leaseSeconds: number | null
    failureCode: string | null
    at: Date
  },
): void {
  const { run } = move
  tx.write(sql`
    update agent_runs set state = ${move.to}, attempts = ${move.attempts},
      lease_epoch = ${move.leaseEpoch},
      lease_until = now() + make_interval(secs => ${move.leaseSeconds}::double precision),
      failure_code = ${move.failureCode}, updated_at = ${move.at}
    where organization_id = ${run.organizationId} and id = ${run.id} and state = ${run.state}
      and lease_epoch = ${run.leaseEpoch}`)
}

/** False when another worker has taken the run, or it has ended. */
export async function renewLease(
  tx: Tx,
  { organizationId, runId, leaseEpoch, seconds }: RunKey & { leaseEpoch: number; seconds: number },
): Promise<boolean> {
  const rows = await tx.query(sql`
    update agent_runs set lease_until = now() + make_interval(secs => ${seconds}::double precision)
    where organization_id = ${organizationId} and id = ${runId} and state = 'running'
      and lease_epoch = ${leaseEpoch} returning id`)
  return rows.length > 0
}

/** Releases the lease of a failed attempt, so that the next attempt can start. */
export function endLease(
  tx: Tx,
  { organizationId, runId, leaseEpoch }: RunKey & { leaseEpoch: number },
): void {
  tx.write(sql`
    update agent_runs set lease_until = null
    where organization_id = ${organizationId} and id = ${runId} and lease_epoch = ${leaseEpoch}`)
}

export type Report = {
  id: string
  organizationId: string
  expenseId: string
  expenseRevision: number
  runId: string
  version: number
  reportHash: string
  output: ReportOutput
  createdAt: string
}

const reportColumns = sql`
  r.id, r.organization_id as "organizationId", r.expense_id as "expenseId",
  r.expense_revision as "expenseRevision", r.run_id as "runId", r.version,
  r.report_hash as "reportHash", r.output, r.created_at as "createdAt"`

/** Uses the expense's next version; the caller holds the expense's lock. */
export function insertReport(
  tx: Tx,
  row: Omit<Report, 'version' | 'createdAt'> & { seal: Seal; at: Date },
): void {
  tx.write(sql`
    insert into reports (id, organization_id, expense_id, expense_revision, run_id, version,
      report_hash, output, mac, mac_key_id, created_at)
    select ${row.id}, ${row.organizationId}, ${row.expenseId}, ${row.expenseRevision},
      ${row.runId}, 1 + coalesce(max(version), 0), ${row.reportHash},
      ${JSON.stringify(row.output)}::jsonb, ${row.seal.mac}, ${row.seal.keyId}, ${row.at}
    from reports
    where organization_id = ${row.organizationId} and expense_id = ${row.expenseId}`)
}

export async function findReport(
  tx: Reader,
  {
    organizationId,
    reportId,
    onlyOf,
  }: { organizationId: string; reportId: string; onlyOf: string | null },
): Promise<Report | undefined> {
  const [row] = await tx.query<Report>(sql`
    select ${reportColumns} from reports r
    join expenses e on e.organization_id = r.organization_id and e.id = r.expense_id
    where r.organization_id = ${organizationId} and r.id = ${reportId}
      and ${isVisibleExpense(onlyOf)}`)
  return row
}

/** The newest report of one revision. */
export async function findRevisionReport(
  tx: Reader,
  {
    organizationId,
    expenseId,
    revision,
    onlyOf,
  }: { organizationId: string; expenseId: string; revision: number; onlyOf: string | null },
): Promise<Report | undefined> {
  const [row] = await tx.query<Report>(sql`
    select ${reportColumns} from reports r
    join expenses e on e.organization_id = r.organization_id and e.id = r.expense_id
    where r.organization_id = ${organizationId} and r.expense_id = ${expenseId}
      and r.expense_revision = ${revision}
      and ${isVisibleExpense(onlyOf)}
    order by r.version desc limit 1`)
  return row
}

export type StoredReport = Pick<Report, 'id' | 'reportHash' | 'output'>

/** For verification: a page of the organization's reports, across all expenses. */
export const listStoredReports = ({
  organizationId,
  afterId,
  limit,
}: {
  organizationId: string
  afterId: string | null
  limit: number
}) => sql`
  select id, report_hash as "reportHash", output from reports
  where organization_id = ${organizationId} and (${afterId}::uuid is null or id > ${afterId}::uuid)
  order by id limit ${limit}`
