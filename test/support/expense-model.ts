/** Two organizations with their people, and what a person or a worker does to an expense. */
import sql from 'sql-template-tag'
import { runAnalysis } from '#analysis/run-analysis.ts'
import type { Context } from '#context.ts'
import type { ExpenseEvent } from '#expenses/expense.machine.ts'
import { lockExpense } from '#expenses/expenses.store.ts'
import { moveExpense } from '#expenses/move-expense.ts'
import { SYSTEM } from '#journal/actor.ts'
import type { BlockCode } from '#platform/block-codes.ts'
import type { Analyst, AnalystOpinion } from '#ports/analyst.ts'
import { joinOrganization, type Person, type TestApp } from './app.ts'
import type { TestDatabase } from './database.ts'
import { createExpense, type ExpenseHouse, openExpenseHouse, takeStep } from './expenses.ts'
import { membershipOf, revokeMember } from './steps.ts'

/** The expense's part of a payment's move, where no engine runs. */
export async function moveByEngine(
  { ctx }: Pick<TestApp, 'ctx'>,
  {
    organizationId,
    expenseId,
    event,
    blockCode = 'token_refused',
  }: {
    organizationId: string
    expenseId: string
    event: ExpenseEvent
    blockCode?: BlockCode
  },
): Promise<void> {
  await ctx.db.transaction({ organizationId }, async (tx) => {
    const expense = await lockExpense(tx, { organizationId, expenseId })
    if (!expense) throw new Error(`There is no expense ${expenseId}`)
    await moveExpense(ctx, tx, { expense, event, actor: SYSTEM, blockCode })
    if (event !== 'payment_blocked' && event !== 'approval_ended') return
    await tx.query(sql`
      update payments set state = 'blocked', block_code = ${blockCode}
      where organization_id = ${organizationId} and id = ${expense.paymentId}`)
  })
}

export const analystThat = (review: Analyst['review']): Analyst => ({
  name: 'second-reader',
  version: '1',
  review,
})

/** An attempt with this reader fails after the run was taken, as with a bug, not an outage. */
export const brokenAnalyst = analystThat(() => Promise.reject(new Error('broken on purpose')))

export const CALM: AnalystOpinion = {
  summary: 'Everything is in order. Approve it.',
  riskScore: 0,
  recommendation: 'approve',
  concerns: [],
}

export const calmAnalyst = analystThat(() => Promise.resolve(CALM))

/** One attempt of a run, as a worker with this second reader makes it. */
export const tryRunWith = (
  ctx: Context,
  analyst: Analyst | undefined,
  { organizationId, runId }: { organizationId: string; runId: string },
): Promise<void> => runAnalysis({ ...ctx, analyst }, { organizationId, runId })

export type ExpenseRowSeen = {
  id: string
  state: string
  blockCode: string | null
  revision: number
  reportId: string | null
  reports: number
  revisions: number
  comments: number
  runs: { id: string; state: string; attempts: number; revision: number }[]
}

/** Everything stored about the organization's expenses; the owner's row security is lifted. */
export const storedExpenses = (
  database: TestDatabase,
  organizationId: string,
): Promise<ExpenseRowSeen[]> =>
  database.asOwner<ExpenseRowSeen>(
    `select e.id, e.state, e.block_code as "blockCode", e.current_revision as revision,
       e.current_report_id as "reportId",
       (select count(*)::int from reports r where r.expense_id = e.id) as reports,
       (select count(*)::int from expense_revisions r where r.expense_id = e.id) as revisions,
       (select count(*)::int from expense_comments c where c.expense_id = e.id) as comments,
       coalesce((select json_agg(json_build_object('id', a.id, 'state', a.state,
           'attempts', a.attempts, 'revision', a.expense_revision) order by a.id)
         from agent_runs a where a.expense_id = e.id), '[]') as runs
     from expenses e where e.organization_id = $1 order by e.id`,
    [organizationId],
  )

export async function storedExpense(
  database: TestDatabase,
  { organization }: ExpenseHouse,
  { expenseId }: Pick<Submitted, 'expenseId'>,
): Promise<ExpenseRowSeen | undefined> {
  return (await storedExpenses(database, organization.id)).find(({ id }) => id === expenseId)
}

/** The current report, as the owner reads it. */
export async function readReport(
  { call, database }: Pick<TestApp, 'call' | 'database'>,
  house: ExpenseHouse,
  submitted: Submitted,
) {
  const { path, owner } = house.organization
  const reportId = (await storedExpense(database, house, submitted))?.reportId
  return (await call('GET', `${path}/reports/${reportId}`, { token: owner.token })).body
}

export type RunRow = {
  state: string
  attempts: number
  epoch: number
  failureCode: string | null
  leaseLeft: number | null
}

export async function findRunRow(database: TestDatabase, runId: string): Promise<RunRow> {
  const [row] = await database.asOwner<RunRow>(
    `select state, attempts, lease_epoch as epoch, failure_code as "failureCode",
       extract(epoch from lease_until - now())::float8 as "leaseLeft"
     from agent_runs where id = $1`,
    [runId],
  )
  if (!row) throw new Error(`There is no run ${runId}`)
  return row
}

/** Expires the lease of the run, which only the owner of the tables can do. */
export const endLeaseOf = (database: TestDatabase, runId: string) =>
  database.asOwner(`update agent_runs set lease_until = now() - interval '1 ms' where id = $1`, [
    runId,
  ])

export type Submitted = { expenseId: string; runId: string }

/** A new expense of the employee, submitted for analysis. */
export async function submitNew(
  service: TestApp,
  house: ExpenseHouse,
  terms: Record<string, unknown> = {},
): Promise<Submitted> {
  const made = await createExpense(service, house, { terms })
  return { expenseId: made.body.id, runId: await submitAgain(service, house, made.body.id) }
}

export async function submitAgain(
  service: TestApp,
  house: ExpenseHouse,
  expenseId: string,
  expectedVersion = 1,
): Promise<string> {
  const step = { id: expenseId, step: 'submit', person: house.employee, body: { expectedVersion } }
  const answer = await takeStep(service, house, step)
  if (answer.status !== 202) throw new Error(`Not submitted: ${answer.text}`)
  return answer.body.taskId
}

/** The stranger was once a manager of the other organization. */
type People = {
  owner: Person
  manager: Person
  employee: Person
  colleague: Person
  leaver: Person
  stranger: Person
  sole: Person
}

export type World = { main: ExpenseHouse; sole: ExpenseHouse; people: People }

/** `main` with a member of every role; `sole` with an owner who is alone. */
export async function openWorld(service: TestApp): Promise<World> {
  const main = await openExpenseHouse(service)
  const colleague = await joinOrganization(service, main.organization, { role: 'employee' })
  const leaver = await joinOrganization(service, main.organization, { role: 'employee' })
  const sole = await openExpenseHouse(service)
  const { employee, manager } = main
  await joinOrganization(service, sole.organization, { role: 'employee', person: employee })
  await leave(service, sole, sole.manager)
  const people = {
    owner: main.organization.owner,
    manager,
    employee,
    colleague,
    leaver,
    stranger: sole.manager,
    sole: sole.organization.owner,
  }
  return { main, sole, people }
}

export async function leave(
  service: Pick<TestApp, 'call'>,
  { organization }: ExpenseHouse,
  person: Person,
): Promise<void> {
  const { membershipId } = await membershipOf(service, organization, person)
  const answer = await revokeMember(service, organization, membershipId)
  if (answer.status !== 200) throw new Error(`Not revoked: ${answer.text}`)
}
