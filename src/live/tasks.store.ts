/**
 * SQL for the rows that may become tasks. Partial indexes find the newest few of each state without
 * scanning finished ones; details are then looked up row by row (`lateral … limit 1`), which keeps
 * the planner from scanning whole tables.
 */
import sql, { type Sql } from 'sql-template-tag'
import type { ExpenseState } from '#expenses/expense.machine.ts'
import type { Tx } from '#platform/database/database.ts'
import { fixedLimit } from '#platform/database/fixed-limit.ts'
import type { TaskExpense, TaskPayment } from './task-rules.ts'
import type { StuckExpense, TaskCase } from './tasks.ts'

export type TaskReading = {
  organizationId: string
  accountId: string
  /** False for employees, who see their own expenses */
  seesAll: boolean
  /** and, with an approver wallet, those that await a signature. */
  signs: boolean
  /** Expenses and cases that ended earlier are omitted. */
  endedAfter: Date
  now: Date
  /** Per state. */
  limit: number
}

/** States in which some member can act. */
export const ACTIONABLE: readonly ExpenseState[] = [
  'needs_review',
  'revision_requested',
  'awaiting_approval',
  'approved_ready_for_payment',
  'automatic_ready_for_payment',
  'reconciling',
  'blocked',
]
const UNDER_WAY: readonly ExpenseState[] = ['analysis_queued', 'analyzing', 'executing']

/** How many of each state are searched for others' expenses: nearly all may be the caller's. */
const SEARCHED_ROWS = 1_000

type Search = Pick<TaskReading, 'organizationId' | 'accountId' | 'limit'>

const newestFirst = (rows: number): Sql => sql`
  order by e.updated_at desc, e.id desc ${fixedLimit(rows)}`

const ofEach = (states: readonly ExpenseState[], found: Sql): Sql => sql`
  select k.id, k.updated_at from unnest(${states}::text[]) s (state)
  cross join lateral (${found}) k`

/** The newest of each state. The condition repeats that of its partial index. */
const newestOwn = (
  states: readonly ExpenseState[],
  { organizationId, accountId, limit }: Search,
): Sql =>
  ofEach(
    states,
    sql`select e.id, e.updated_at from expenses e
      where e.organization_id = ${organizationId} and e.submitter_account_id = ${accountId}
        and e.state not in ('paid', 'rejected', 'cancelled') and e.state = s.state
      ${newestFirst(limit)}`,
  )

const allInState = (organizationId: string): Sql => sql`
  select e.id, e.updated_at, e.submitter_account_id from expenses e
  where e.organization_id = ${organizationId}
    and e.state not in ('draft', 'paid', 'rejected', 'cancelled') and e.state = s.state`

const newestOfOthers = (
  states: readonly ExpenseState[],
  { organizationId, accountId, limit }: Search,
): Sql =>
  ofEach(
    states,
    sql`select e.id, e.updated_at
      from (${allInState(organizationId)} ${newestFirst(SEARCHED_ROWS)}) e
      where e.submitter_account_id <> ${accountId} ${newestFirst(limit)}`,
  )

/** In which the caller can act on expenses of others. */
const statesOfOthers = ({ seesAll, signs }: TaskReading): readonly ExpenseState[] =>
  seesAll ? ACTIONABLE : signs ? ['awaiting_approval'] : []

function wantedOf(reading: TaskReading): Sql {
  const { organizationId, accountId, seesAll, endedAfter, limit } = reading
  const visible = seesAll ? sql`true` : sql`e.submitter_account_id = ${accountId}`
  const ownUnderWay = newestOwn(['draft', ...UNDER_WAY], reading)
  const underWay = seesAll
    ? sql`select * from (${ownUnderWay} union all ${newestOfOthers(UNDER_WAY, reading)}) e
        ${newestFirst(limit)}`
    : ownUnderWay
  const states = statesOfOthers(reading)
  const actionable = states.length > 0 ? sql`(${newestOfOthers(states, reading)}) union all` : sql``
  return sql`
    ${actionable}
    (${newestOwn(ACTIONABLE, reading)}) union all
    (${underWay}) union all
    (select e.id, e.updated_at from expenses e
      where e.organization_id = ${organizationId} and ${visible}
        and e.state in ('paid', 'rejected', 'cancelled') and e.updated_at > ${endedAfter}
      ${newestFirst(limit)})`
}

/** Whether expenses of others may be missing, because too many of the caller's own are newer. */
export async function findIsCut(
  tx: Tx,
  reading: TaskReading,
  expenses: readonly TaskExpense[],
): Promise<boolean> {
  const { organizationId, accountId, limit } = reading
  const crowded = statesOfOthers(reading).filter((state) => {
    const ofState = expenses.filter((expense) => expense.state === state)
    const own = ofState.filter(({ submitterAccountId }) => submitterAccountId === accountId)
    return own.length >= limit && ofState.length - own.length < limit
  })
  if (crowded.length === 0) return false
  const beyond = sql`${allInState(organizationId)}
    order by e.updated_at desc, e.id desc offset ${SEARCHED_ROWS} limit 1`
  const found = await tx.query(ofEach(crowded, beyond))
  return found.length > 0
}

const payment = sql`(
  select p.id, p.state, p.block_code as "blockCode", p.mode, p.expense_revision,
    p.has_open_attempt as "hasOpenAttempt", p.lane_id is not null as "hasLane",
    p.policy_version as "policyVersion", p.deadline, p.updated_at as "updatedAt",
    p.required_approvals as "requiredApprovals", p.organization_id, p.epoch
  from payments p where p.organization_id = e.organization_id and p.id = e.payment_id limit 1)`

/** The run that blocked the expense. Runs of earlier revisions do not count. */
const failedRun = sql`(
  select r.id, r.failure_code as "failureCode", r.updated_at as "updatedAt" from agent_runs r
  where r.organization_id = e.organization_id and r.expense_id = e.id
    and r.expense_revision = e.current_revision and r.state = 'failed'
    and e.state = 'blocked' and e.block_code = 'analysis_failed'
  order by r.id desc limit 1)`

/** One row of the statement, with nulls where the joined part is missing. */
type TaskRow = Omit<TaskExpense, 'payment' | 'failedRun' | 'preparation'> & {
  paymentId: string | null
  runId: string | null
  runFailureCode: string | null
  runUpdatedAt: string
  preparationId: string | null
  preparationDeadline: string
  preparationUpdatedAt: string
} & {
  [Name in keyof Omit<TaskPayment, 'id'> as `payment${Capitalize<Name>}`]: TaskPayment[Name]
}

const columns = sql`
  e.id, e.organization_id as "organizationId", e.submitter_account_id as "submitterAccountId",
  e.current_revision as "currentRevision", e.state, e.block_code as "blockCode",
  e.current_report_id is not null as "hasReport", e.updated_at as "updatedAt",
  v.vault_id as "vaultId", v.purpose, v.recipient_label as "recipientLabel",
  v.recipient_address as "recipientAddress", v.amount, c.is_active as "isRecipientActive",
  l.account_ids as "paidAccountIds",
  p.id as "paymentId", p.state as "paymentState", p."blockCode" as "paymentBlockCode",
  p.mode as "paymentMode", p.expense_revision = e.current_revision as "paymentIsCurrent",
  p."hasOpenAttempt" as "paymentHasOpenAttempt", p."hasLane" as "paymentHasLane",
  p."policyVersion" as "paymentPolicyVersion", p.deadline as "paymentDeadline",
  p."requiredApprovals" as "paymentRequiredApprovals", a.account_ids as "paymentSignatures",
  a.is_good as "paymentIsApprovalGood", p."updatedAt" as "paymentUpdatedAt",
  g.account_ids as "signerIds",
  r.id as "runId", r."failureCode" as "runFailureCode", r."updatedAt" as "runUpdatedAt",
  q.id as "preparationId", q.deadline as "preparationDeadline",
  q.updated_at as "preparationUpdatedAt"`

/** Expenses that the caller sees, with everything that decides which actions are possible. */
export const listTaskExpenses = (tx: Tx, reading: TaskReading): Promise<TaskExpense[]> =>
  listWanted(tx, reading, wantedOf(reading))

type Reader = Pick<TaskReading, 'organizationId' | 'accountId' | 'now'>

/** The same for given expenses; whether the caller sees them is up to the caller. */
export const listTaskExpensesById = (
  tx: Tx,
  { expenseIds, ...reader }: Reader & { expenseIds: readonly string[] },
): Promise<TaskExpense[]> =>
  listWanted(tx, reader, sql`select i.id from unnest(${expenseIds}::uuid[]) i (id)`)

async function listWanted(
  tx: Tx,
  { organizationId, accountId, now }: Reader,
  wanted: Sql,
): Promise<TaskExpense[]> {
  // One generic plan suits all callers, and planning takes longer than executing.
  tx.write(sql`select set_config('plan_cache_mode', 'force_generic_plan', true)`)
  const rows = await tx.query<TaskRow>(sql`
    with wanted as materialized (${wanted})
    select ${columns}
    from wanted w
    cross join lateral (select e.* from expenses e
      where e.organization_id = ${organizationId} and e.id = w.id limit 1) e
    cross join lateral (
      select x.vault_id, left(x.purpose, 480) as purpose, x.recipient_id, x.recipient_label,
        x.recipient_address, x.amount from expense_revisions x
      where x.organization_id = e.organization_id and x.expense_id = e.id
        and x.revision = e.current_revision limit 1) v
    cross join lateral (select x.state = 'active' as is_active from recipients x
      where x.organization_id = e.organization_id and x.id = v.recipient_id limit 1) c
    cross join lateral (select coalesce(array_agg(x.account_id::text), '{}') as account_ids
      from wallet_links x where x.address = v.recipient_address) l
    left join lateral ${payment} p on true
    cross join lateral (
      select coalesce(array_agg(s.account_id::text), '{}') as account_ids,
        bool_and(x.state = 'signed' and exists (select from wallet_roles o
          where o.organization_id = x.organization_id and o.id = x.wallet_role_id
            and o.state = 'active')) as is_good
      from payment_signatures s
      join approvals x on x.organization_id = s.organization_id and x.id = s.approval_id
      where s.organization_id = p.organization_id and s.payment_id = p.id
        and s.epoch = p.epoch) a
    cross join lateral (
      select coalesce(array_agg(x.account_id::text), '{}') as account_ids from approvals x
      where e.state = 'awaiting_approval' and x.organization_id = e.organization_id
        and x.expense_id = e.id and x.expense_revision = e.current_revision
        and x.state = 'signed') g
    left join lateral ${failedRun} r on true
    left join lateral (
      select x.id, x.deadline, x.updated_at from approvals x
      where x.organization_id = e.organization_id and x.expense_id = e.id
        and x.expense_revision = e.current_revision and x.account_id = ${accountId}
        and x.state = 'prepared' and x.cancelled_at is null and x.deadline > ${now}
      order by x.id desc limit 1) q on true`)
  return rows.map(toTaskExpense)
}

const toTaskExpense = (row: TaskRow): TaskExpense => ({
  ...row,
  payment: row.paymentId === null ? null : paymentOf(row, row.paymentId),
  failedRun:
    row.runId === null
      ? null
      : { id: row.runId, failureCode: row.runFailureCode, updatedAt: row.runUpdatedAt },
  preparation:
    row.preparationId === null
      ? null
      : {
          id: row.preparationId,
          deadline: row.preparationDeadline,
          updatedAt: row.preparationUpdatedAt,
        },
})

const paymentOf = (row: TaskRow, id: string): TaskPayment => ({
  id,
  state: row.paymentState,
  blockCode: row.paymentBlockCode,
  mode: row.paymentMode,
  isCurrent: row.paymentIsCurrent,
  hasOpenAttempt: row.paymentHasOpenAttempt,
  hasLane: row.paymentHasLane,
  policyVersion: row.paymentPolicyVersion,
  requiredApprovals: row.paymentRequiredApprovals,
  signatures: row.paymentSignatures,
  deadline: row.paymentDeadline,
  isApprovalGood: row.paymentIsApprovalGood,
  updatedAt: row.paymentUpdatedAt,
})

type CaseReading = Pick<TaskReading, 'endedAfter' | 'limit'>

const casesWhere = (filter: Sql, { endedAfter, limit }: CaseReading): Sql => sql`
  select c.id, c.organization_id as "organizationId", o.name as "organizationName", c.subject,
    c.priority, c.state, c.updated_at as "updatedAt"
  from (
    (select * from support_cases where ${filter} and state <> 'resolved'
      order by updated_at desc, id desc limit ${limit})
    union all
    (select * from support_cases where ${filter} and state = 'resolved'
      and updated_at > ${endedAfter} order by updated_at desc, id desc limit ${limit})
  ) c cross join lateral (
    select name from organizations where id = c.organization_id limit 1) o`

export const listMemberCases = (
  tx: Tx,
  {
    organizationId,
    accountId,
    seesAll,
    ...reading
  }: CaseReading & Pick<TaskReading, 'organizationId' | 'accountId' | 'seesAll'>,
): Promise<TaskCase[]> => {
  const visible = seesAll ? sql`true` : sql`opened_by_account_id = ${accountId}`
  return tx.query<TaskCase>(
    casesWhere(sql`organization_id = ${organizationId} and ${visible}`, reading),
  )
}

/** Across organizations. Needs the observer's login. */
export const listOperatorCases = (tx: Tx, reading: CaseReading): Promise<TaskCase[]> =>
  tx.query<TaskCase>(casesWhere(sql`true`, reading))

type FlatStuck = Omit<StuckExpense, 'payment' | 'failedRun'> &
  Pick<TaskRow, 'paymentId' | 'paymentState' | 'paymentBlockCode' | 'paymentUpdatedAt'> &
  Pick<TaskRow, 'runId' | 'runFailureCode' | 'runUpdatedAt'>

/** Blocked and reconciling expenses of all organizations. Needs the observer's login. */
export async function listStuckExpenses(tx: Tx, { limit }: CaseReading): Promise<StuckExpense[]> {
  const states: ExpenseState[] = ['blocked', 'reconciling']
  const rows = await tx.query<FlatStuck>(sql`
    select e.id, e.organization_id as "organizationId", o.name as "organizationName",
      e.current_revision as "currentRevision", e.state, e.updated_at as "updatedAt",
      p.id as "paymentId", p.state as "paymentState", p."blockCode" as "paymentBlockCode",
      p."updatedAt" as "paymentUpdatedAt",
      r.id as "runId", r."failureCode" as "runFailureCode", r."updatedAt" as "runUpdatedAt"
    from unnest(${states}::text[]) s (state) cross join lateral (
      select * from expenses x where x.state = s.state and x.state in ('blocked', 'reconciling')
      order by x.updated_at desc, x.id desc limit ${limit}) e
    cross join lateral (select name from organizations where id = e.organization_id limit 1) o
    left join lateral ${payment} p on true
    left join lateral ${failedRun} r on true`)
  return rows.map((row) => ({
    ...row,
    payment:
      row.paymentId === null
        ? null
        : {
            id: row.paymentId,
            state: row.paymentState,
            blockCode: row.paymentBlockCode,
            updatedAt: row.paymentUpdatedAt,
          },
    failedRun:
      row.runId === null
        ? null
        : { id: row.runId, failureCode: row.runFailureCode, updatedAt: row.runUpdatedAt },
  }))
}
