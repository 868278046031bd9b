/** Query plans with many expenses. Plans are asserted, not durations. */
import pg from 'pg'
import sql, { raw, type Sql } from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findOpenRun, findReport } from '#analysis/analysis.store.ts'
import { findRenderedExpense, listExpenses } from '#expenses/expense-texts.store.ts'
import { COMMENTS_SHOWN } from '#expenses/expense-texts.ts'
import { lockExpense } from '#expenses/expenses.store.ts'
import type { Tx } from '#platform/database/database.ts'
import { startTestApp, type TestApp } from '#test/support/app.ts'
import { type ExpenseHouse, openExpenseHouse } from '#test/support/expenses.ts'
import { writeMany } from '#test/support/many-rows.ts'
import { liftOwnersRowSecurity } from '#test/support/steps.ts'
import { findHeld } from '#treasury/vaults.store.ts'

const MANY = 3_000
/** Of the manager, and of the employee. */
const [MANAGED, EMPLOYED] = [2_777, 2_700]
const TABLES = ['expenses', 'expense_revisions', 'expense_comments', 'agent_runs', 'reports']
/** Rows that a read may touch: a page of 100, its revisions and submitters, the row after it. */
const TOUCHED_MAX = 310
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

let service: TestApp
let house: ExpenseHouse

beforeAll(async () => {
  service = await startTestApp({ plansByValues: true })
  house = await openExpenseHouse(service)
  const neighbour = await openExpenseHouse(service)
  await liftOwnersRowSecurity(service.database)
  await writeMany(service.database, TABLES, async () => {
    for (const [n, home] of [house, neighbour].entries()) await write(home, n)
  })
  await service.database.asOwner(`analyze ${TABLES.join(', ')}`)
})
afterAll(() => service.stop())

/** Interleaves the ids of both organizations, as creation over time would. */
const idAt = (kind: string, index: string) =>
  `('01900000-${kind}-7000-8000-' || lpad(to_hex(${index}), 12, '0'))::uuid`

const expenseAt = (index: number, of: number): string =>
  `01900000-000e-7000-8000-${(index * 2 + of).toString(16).padStart(12, '0')}`
const reportAt = (index: number, of: number): string =>
  `01900000-000d-7000-8000-${(index * 2 + of).toString(16).padStart(12, '0')}`

/** One in a hundred is the employee's; each has a revision, a comment, a run and a report. */
async function write(home: ExpenseHouse, of: number): Promise<void> {
  const { organization, manager, employee, vaultId, recipientId, recipientAddress } = home
  const { asOwner } = service.database
  const [at, rows] = [`n * 2 + ${of}`, `from generate_series(1, ${MANY}) n`]
  const expense = idAt('000e', at)
  const run = idAt('000a', at)
  await asOwner(
    `insert into expenses (id, organization_id, submitter_account_id, payment_id,
       current_revision, state, created_at, updated_at)
     select ${expense}, $1, case when n % 100 = 0 then $2::uuid else $3::uuid end,
       ${idAt('000f', at)}, 1, case when n % 50 = 0 then 'needs_review' else 'paid' end,
       now(), now() ${rows}`,
    [organization.id, employee.accountId, manager.accountId],
  )
  await asOwner(
    `insert into expense_revisions (organization_id, expense_id, revision, vault_id, recipient_id,
       recipient_label, recipient_address, amount, requested_mode, purpose, purpose_key,
       version_hash, author_account_id, created_at, submitted_at)
     select $1, ${expense}, 1, $2, $3, 'Acme', $4, n, 'approved', 'Purpose ' || n,
       sha256(n::text::bytea), '0x' || repeat('a', 64), $5, now(), now() ${rows}`,
    [organization.id, vaultId, recipientId, recipientAddress.toLowerCase(), manager.accountId],
  )
  await asOwner(
    `insert into expense_comments (id, organization_id, expense_id, author_account_id, body,
       created_at)
     select ${idAt('000c', at)}, $1, ${expense}, $2, 'Comment', now() ${rows}`,
    [organization.id, manager.accountId],
  )
  await asOwner(
    `insert into agent_runs (id, organization_id, expense_id, expense_revision, state, created_at,
       updated_at)
     select ${run}, $1, ${expense}, 1, 'succeeded', now(), now() ${rows}`,
    [organization.id],
  )
  await asOwner(
    `insert into reports (id, organization_id, expense_id, expense_revision, run_id, version,
       report_hash, output, created_at)
     select ${idAt('000d', at)}, $1, ${expense}, 1, ${run}, 1, '0x' || repeat('b', 64), '{}',
       now() ${rows}`,
    [organization.id],
  )
}

type Plan = {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Actual Rows'?: number
  'Actual Loops'?: number
  'Rows Removed by Filter'?: number
  Plans?: Plan[]
}

const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]
const scansOf = (plan: Plan): Plan[] => nodesOf(plan).filter((node) => node['Relation Name'])

const touched = (plan: Plan): number =>
  scansOf(plan).reduce((sum, node) => {
    const { 'Actual Rows': rows = 0, 'Rows Removed by Filter': removed = 0 } = node
    return sum + (rows + removed) * (node['Actual Loops'] ?? 1)
  }, 0)

type Explained = { plans: Plan[]; texts: string[] }

/** Reads as the application does, in the organization's scope, and collects every plan. */
async function explain(read: (tx: Tx) => Promise<unknown>): Promise<Explained> {
  const explained: Explained = { plans: [], texts: [] }
  await service.ctx.db.transaction({ organizationId: house.organization.id }, async (tx) => {
    const explaining: Tx = {
      ...tx,
      query: async <Row extends object>(statement: Sql) => {
        const how = sql`${raw('explain (analyze, format json) ')}${statement}`
        const [row] = await tx.query<{ 'QUERY PLAN': { Plan: Plan }[] }>(how)
        const plan = row?.['QUERY PLAN'][0]?.Plan
        if (plan) explained.plans.push(plan)
        explained.texts.push(statement.text)
        return tx.query<Row>(statement)
      },
    }
    await read(explaining)
  })
  return explained
}

/** The generic plan that PostgreSQL keeps for a statement that is run often. */
async function genericPlans(texts: readonly string[]): Promise<Plan[]> {
  const client = new pg.Client({
    connectionString: service.database.url,
    options: '-c role=countersign_app -c search_path=countersign',
  })
  await client.connect()
  const plans: Plan[] = []
  for (const text of texts) {
    const { rows } = await client.query(`explain (generic_plan, format json) ${text}`)
    plans.push(rows[0]['QUERY PLAN'][0].Plan)
  }
  await client.end()
  return plans
}

const page = (beforeId = LAST_ID) => ({ limit: 100, beforeId })

type Key = { organizationId: string; expenseId: string }

const detail = async (tx: Tx, key: Key, onlyOf: string | null): Promise<void> => {
  const found = await findRenderedExpense(tx, { ...key, onlyOf, comments: COMMENTS_SHOWN })
  expect(found?.head).toContain(`{"id":"${key.expenseId}"`)
}

const reads: Record<string, (tx: Tx, organizationId: string) => Promise<unknown>> = {
  'the first page for a manager': (tx, organizationId) =>
    listExpenses(tx, { organizationId, onlyOf: null, page: page() }),
  'a page from the middle for a manager': (tx, organizationId) =>
    listExpenses(tx, { organizationId, onlyOf: null, page: page(expenseAt(MANY / 2, 0)) }),
  'the first page for an employee': (tx, organizationId) =>
    listExpenses(tx, { organizationId, onlyOf: house.employee.accountId, page: page() }),
  'the last page for an employee': (tx, organizationId) =>
    listExpenses(tx, {
      organizationId,
      onlyOf: house.employee.accountId,
      page: page(expenseAt(150, 0)),
    }),
  'an expense for a manager': (tx, organizationId) =>
    detail(tx, { organizationId, expenseId: expenseAt(MANAGED, 0) }, null),
  'an expense for an employee': (tx, organizationId) =>
    detail(tx, { organizationId, expenseId: expenseAt(EMPLOYED, 0) }, house.employee.accountId),
  'an expense locked for a change': (tx, organizationId) =>
    lockExpense(tx, { organizationId, expenseId: expenseAt(MANAGED, 0) }),
  'a report for a manager': (tx, organizationId) =>
    findReport(tx, { organizationId, reportId: reportAt(MANAGED, 0), onlyOf: null }),
  'a report for an employee': (tx, organizationId) =>
    findReport(tx, {
      organizationId,
      reportId: reportAt(EMPLOYED, 0),
      onlyOf: house.employee.accountId,
    }),
  'the open run of an expense': (tx, organizationId) =>
    findOpenRun(tx, { organizationId, expenseId: expenseAt(MANAGED, 0) }),
  'the reserved sums': (tx, organizationId) =>
    findHeld(tx, { organizationId, vaultId: house.vaultId }),
}

describe(`with ${MANY} expenses here and as many in another organization`, () => {
  test('the data set has that many rows', async () => {
    const counted = await service.database.asOwner(
      'select count(*)::integer as n from expenses group by organization_id',
    )
    expect(counted).toEqual([{ n: MANY }, { n: MANY }])
  })

  test.each(Object.entries(reads))('%s uses indexes only', async (_name, read) => {
    const { plans, texts } = await explain((tx) => read(tx, house.organization.id))
    expect(plans.length).toBeGreaterThan(0)
    for (const plan of [...plans, ...(await genericPlans(texts))]) {
      const scans = scansOf(plan)
      expect(scans.length).toBeGreaterThan(0)
      for (const node of scans) expect(node['Node Type']).toMatch(/Index|Bitmap Heap Scan/)
      expect(touched(plan)).toBeLessThan(TOUCHED_MAX)
    }
  })

  test("an employee's list uses the submitter index, not a filter over all", async () => {
    const { plans } = await explain((tx) =>
      listExpenses(tx, {
        organizationId: house.organization.id,
        onlyOf: house.employee.accountId,
        page: page(),
      }),
    )
    const [list] = plans
    // None of these revisions has attachments, so nothing looks for any.
    const scans = list ? scansOf(list).filter((node) => node['Actual Loops'] !== 0) : []
    expect(scans.map((node) => node['Relation Name'])).toEqual([
      'expenses',
      'expense_revisions',
      'profiles',
      'memberships',
    ])
    expect(scans.slice(0, 3).map((node) => node['Index Name'])).toEqual([
      'expenses_submitter',
      'expense_revisions_pkey',
      'profiles_pkey',
    ])
    expect(list && nodesOf(list).map((node) => node['Node Type'])).not.toContain('Sort')
  })
})
