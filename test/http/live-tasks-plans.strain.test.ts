/** Query plans of the task lists with many expenses. Plans are asserted, not durations. */
import pg from 'pg'
import sql, { raw, type Sql } from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  listMemberCases,
  listOperatorCases,
  listStuckExpenses,
  listTaskExpenses,
} from '#live/tasks.store.ts'
import { addSeconds } from '#platform/clock.ts'
import type { Tx } from '#platform/database/database.ts'
import { startTestApp, type TestApp } from '#test/support/app.ts'
import { type ExpenseHouse, openExpenseHouse } from '#test/support/expenses.ts'
import { vacuum, writeMany } from '#test/support/many-rows.ts'
import { liftOwnersRowSecurity } from '#test/support/steps.ts'

const MANY = 8_000
const TABLES = ['expenses', 'expense_revisions', 'agent_runs', 'support_cases']
const LIMIT = 10
/** Seven states that may need action and four that do not, each twice with its lookups. */
const TOUCHED_MAX = 2_000

let service: TestApp
let house: ExpenseHouse

beforeAll(async () => {
  service = await startTestApp({ plansByValues: true })
  house = await openExpenseHouse(service)
  await liftOwnersRowSecurity(service.database)
  await writeMany(service.database, TABLES, write)
  await vacuum(service.database.asOwner, TABLES)
})
afterAll(() => service.stop())

const idAt = (kind: string) => `('01900000-${kind}-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid`

/**
 * Half are finished, the rest spread over all states. One in fifty is the employee's, half of the
 * others are the manager's.
 */
async function write(): Promise<void> {
  const { organization, manager, employee, vaultId, recipientId, recipientAddress } = house
  const { asOwner } = service.database
  const rows = `from generate_series(1, ${MANY}) n`
  const open = `(array['draft', 'analysis_queued', 'analyzing', 'needs_review', 'executing',
    'revision_requested', 'awaiting_approval', 'approved_ready_for_payment', 'reconciling',
    'automatic_ready_for_payment', 'blocked', 'blocked'])[1 + n / 2 % 12]`
  const state = `case when n % 2 = 0 then ${open} else 'paid' end`
  await asOwner(
    `insert into expenses (id, organization_id, submitter_account_id, payment_id,
       current_revision, state, block_code, created_at, updated_at)
     select ${idAt('000e')}, $1, case when n % 50 = 0 then $2::uuid
       when n % 4 < 2 then $3::uuid else $4::uuid end, ${idAt('000f')}, 1, s,
       case when s = 'blocked' then 'analysis_failed' end,
       now(), now() - n * interval '25 seconds'
     ${rows}, lateral (select ${state} as s) x`,
    [organization.id, employee.accountId, manager.accountId, organization.owner.accountId],
  )
  await asOwner(
    `insert into expense_revisions (organization_id, expense_id, revision, vault_id, recipient_id,
       recipient_label, recipient_address, amount, requested_mode, purpose, purpose_key,
       version_hash, author_account_id, created_at)
     select $1, ${idAt('000e')}, 1, $2, $3, 'Acme', $4, n, 'approved', 'Purpose ' || n,
       sha256(n::text::bytea), '0x' || repeat('a', 64), $5, now() ${rows}`,
    [organization.id, vaultId, recipientId, recipientAddress.toLowerCase(), manager.accountId],
  )
  await asOwner(
    `insert into agent_runs (id, organization_id, expense_id, expense_revision, state, created_at,
       updated_at)
     select ${idAt('000a')}, $1, ${idAt('000e')}, 1,
       'failed', now(), now() ${rows} where n % 10 = 0`,
    [organization.id],
  )
  await asOwner(
    `insert into support_cases (id, organization_id, opened_by_account_id, subject, priority,
       state, created_at, updated_at)
     select ${idAt('000c')}, $1, case when n % 50 = 0 then $2::uuid else $3::uuid end, 'Case', 2,
       case when n % 10 = 0 then 'open' else 'resolved' end, now(),
       now() - n * interval '25 seconds' ${rows} where n <= 2000`,
    [organization.id, employee.accountId, manager.accountId],
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

const BIG = ['expenses', 'expense_revisions', 'agent_runs', 'support_cases', 'payments']
const scansOf = (plan: Plan): Plan[] =>
  nodesOf(plan).filter((node) => BIG.includes(node['Relation Name'] ?? ''))

const touched = (plan: Plan): number =>
  scansOf(plan).reduce((sum, node) => {
    const { 'Actual Rows': rows = 0, 'Rows Removed by Filter': removed = 0 } = node
    return sum + (rows + removed) * (node['Actual Loops'] ?? 1)
  }, 0)

type Reader = 'application' | 'observer'
type Explained = { plans: Plan[]; generic: Plan[] }

/** Explains with the given values and with a generic plan, as PostgreSQL executes them. */
async function explain(as: Reader, read: (tx: Tx) => Promise<unknown>): Promise<Explained> {
  const db = as === 'application' ? service.ctx.db : service.ctx.observerDb
  const { plans, generic }: Explained = { plans: [], generic: [] }
  await db.transaction({ organizationId: house.organization.id }, async (tx) => {
    const planOf = async (statement: Sql): Promise<Plan[]> => {
      const how = sql`${raw('explain (analyze, format json) ')}${statement}`
      const [row] = await tx.query<{ 'QUERY PLAN': { Plan: Plan }[] }>(how)
      return (row?.['QUERY PLAN'] ?? []).map(({ Plan }) => Plan)
    }
    const explaining: Tx = {
      ...tx,
      query: async <Row extends object>(statement: Sql) => {
        plans.push(...(await planOf(statement)))
        await tx.query(sql`set local plan_cache_mode = force_generic_plan`)
        await tx.query(raw(`prepare shared as ${statement.text}`))
        generic.push(...(await planOf(raw(`execute shared(${literalsOf(statement)})`))))
        await tx.query(raw('deallocate shared'))
        return tx.query<Row>(statement)
      },
    }
    await read(explaining)
  })
  return { plans, generic }
}

const literalsOf = ({ values }: Sql): string =>
  values
    .map((value) => {
      const text = value instanceof Date ? value.toISOString() : String(value)
      return pg.escapeLiteral(Array.isArray(value) ? `{${value.join(',')}}` : text)
    })
    .join(', ')

function expectBounded({ plans, generic }: Explained, touchedMax = TOUCHED_MAX): void {
  expect([plans.length, generic.length]).toEqual([1, 1])
  for (const plan of [...plans, ...generic]) {
    expect(scansOf(plan).length).toBeGreaterThan(0)
    for (const node of scansOf(plan)) {
      expect(node['Node Type'], JSON.stringify(node)).toMatch(/Index|Bitmap Heap Scan/)
    }
  }
  for (const plan of [...plans, ...generic]) {
    expect(touched(plan)).toBeGreaterThanOrEqual(LIMIT)
    expect(touched(plan)).toBeLessThan(touchedMax)
  }
}

const recent = () => {
  const now = service.ctx.clock.now()
  return { now, endedAfter: addSeconds(now, -86_400), limit: LIMIT }
}

describe(`with ${MANY} expenses in one organization`, () => {
  test.each([
    ['a manager', true, false],
    ['an employee', false, false],
    ['an employee who is an approver', false, true],
  ])('the tasks of %s use indexes only', async (_who, seesAll, signs) => {
    const { id: organizationId } = house.organization
    const { accountId } = seesAll ? house.manager : house.employee
    const whose = { organizationId, accountId, seesAll }
    expectBounded(
      await explain('application', (tx) => listTaskExpenses(tx, { ...recent(), ...whose, signs })),
    )
    expectBounded(
      await explain('application', (tx) => listMemberCases(tx, { ...recent(), ...whose })),
    )
  })

  test('a generic plan knows how few are wanted', async () => {
    const { id: organizationId } = house.organization
    const { accountId } = house.manager
    const reading = { ...recent(), organizationId, accountId, seesAll: true, signs: true }
    const texts: string[] = []
    await service.ctx.db.transaction({ organizationId }, (tx) => {
      const query: Tx['query'] = (statement) => {
        texts.push(statement.text)
        return tx.query(statement)
      }
      return listTaskExpenses({ ...tx, query }, reading)
    })
    const limits = texts.join().match(/\blimit [$\d]+/g) ?? []
    expect(limits.filter((limit) => limit === `limit ${LIMIT}`).length).toBeGreaterThan(3)
    expect(limits.filter((limit) => limit.includes('$'))).toEqual([])
  })

  test('the tasks of operators use indexes only', async () => {
    expectBounded(await explain('observer', (tx) => listStuckExpenses(tx, recent())))
    expectBounded(await explain('observer', (tx) => listOperatorCases(tx, recent())))
  })

  test('the data set holds tasks of every kind', async () => {
    const { id: organizationId } = house.organization
    const { accountId } = house.manager
    const whose = { organizationId, accountId, seesAll: true, signs: false }
    const found = await service.ctx.db.transaction({ organizationId }, (tx) =>
      listTaskExpenses(tx, { ...recent(), ...whose }),
    )
    expect(new Set(found.map(({ state }) => state)).size).toBe(12)
    expect(found.some(({ failedRun }) => failedRun !== null)).toBe(true)
  })

  test('a snapshot returns every group in full', async () => {
    const { status, body } = await service.call('GET', `${house.organization.path}/live/snapshot`, {
      token: house.manager.token,
    })
    expect(status).toBe(200)
    expect(body.tasks).toHaveLength(150)
  })

  test("stays bounded when nearly all expenses in a state are the caller's", async () => {
    const { organization, manager } = house
    await service.database.asOwner(
      `update expenses set state = 'needs_review', block_code = null, submitter_account_id = $2
       where organization_id = $1`,
      [organization.id, manager.accountId],
    )
    await vacuum(service.database.asOwner, TABLES)
    const { id: organizationId } = organization
    const whose = { organizationId, accountId: manager.accountId, seesAll: true, signs: false }
    expectBounded(
      await explain('application', (tx) => listTaskExpenses(tx, { ...recent(), ...whose })),
      TOUCHED_MAX + 1_000,
    )
    expect(await truncatedFor(manager)).toEqual(['needs_action', 'in_progress'])
  })

  test('says that there may be more only where others were searched for in vain', async () => {
    const { organization, manager, employee } = house
    const give = (accountId: string, { above, upTo }: { above: number; upTo: number }) =>
      service.database.asOwner(
        `update expenses e set submitter_account_id = $2, state = 'needs_review' from (
           select id, row_number() over (order by id) as n from expenses
           where organization_id = $1) o
         where e.organization_id = $1 and e.id = o.id and o.n > $3 and o.n <= $4`,
        [organization.id, accountId, above, upTo],
      )
    await service.database.asOwner(
      `update expenses set state = 'paid' where organization_id = $1`,
      [organization.id],
    )
    await give(manager.accountId, { above: 0, upTo: 980 })
    await give(employee.accountId, { above: 980, upTo: 1_000 })
    expect(await truncatedFor(manager)).not.toContain('needs_action')
    await give(manager.accountId, { above: 1_000, upTo: 1_001 })
    expect(await truncatedFor(manager)).toContain('needs_action')
    await give(employee.accountId, { above: 0, upTo: 1_001 })
    expect(await truncatedFor(employee)).not.toContain('needs_action')
  })
})

const truncatedFor = async ({ token }: { token: string }): Promise<string[]> => {
  const path = `${house.organization.path}/live/snapshot`
  const { body } = await service.call('GET', path, { token })
  return body.tasksTruncated.filter((group: string) => group !== 'recently_completed')
}
