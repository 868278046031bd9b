/** Query plans of operator reads in a large service: every one of them uses indexes. */
import pg from 'pg'
import sql, { raw, type Sql } from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type CaseSort, findCaseCount, listCases } from '#admin/cases.store.ts'
import {
  findOverviewCounts,
  listFailedAttempts,
  listFailedPayments,
  listFailedRuns,
} from '#admin/failures.store.ts'
import * as detail from '#admin/organization-detail.store.ts'
import { listFigures, listMatchingIds, listOrganizationIds } from '#admin/organizations.store.ts'
import { listExpenses } from '#expenses/expense-texts.store.ts'
import { listMembers } from '#organizations/members.store.ts'
import { listOpenUnrecorded } from '#payments/unrecorded-payments.store.ts'
import { openDatabase, type Tx } from '#platform/database/database.ts'
import { LAST_ID } from '#platform/paging.ts'
import { findCaseOrganization } from '#support/support.store.ts'
import { addressAt, hashAt, idAt, writeAdminBooks } from '#test/support/admin-books.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { percentile, reportFigures, sizeOf } from '#test/support/figures.ts'
import { listVaults } from '#treasury/vaults.store.ts'

const ROUNDS = sizeOf('PROVE_ROUNDS', 1)
const SIZE = {
  organizations: sizeOf('PROVE_ORGANIZATIONS', 2_000),
  expenses: sizeOf('PROVE_EXPENSES', 20_000),
}
/** An organization with payments, and one of them. */
const [BUSY, PAID] = [121, 7 * SIZE.organizations + 120]
const page = { limit: 100, beforeId: LAST_ID }
const organizationId = idAt('organization', BUSY)
const of = { organizationId, limit: 101 }

let database: TestDatabase
let observer: ReturnType<typeof openDatabase>
let client: pg.Client

beforeAll(async () => {
  database = await createTestDatabase()
  await writeAdminBooks(database.asOwner, SIZE)
  observer = openDatabase({ url: database.url, poolSize: 1, as: 'observer' })
  client = new pg.Client({
    connectionString: database.url,
    options: '-c role=countersign_observer -c search_path=countersign',
  })
  await client.connect()
}, 120_000)
afterAll(async () => {
  await client?.end()
  await observer?.close()
  await database.drop()
})

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
const indexesOf = (plans: Plan[]): (string | undefined)[] =>
  plans.flatMap(nodesOf).map((node) => node['Index Name'])

const touched = (plans: Plan[]): number =>
  plans.flatMap(scansOf).reduce((sum, node) => {
    const { 'Actual Rows': rows = 0, 'Rows Removed by Filter': removed = 0 } = node
    return sum + (rows + removed) * (node['Actual Loops'] ?? 1)
  }, 0)

/** Reads as an operator's request does and collects the plan of every statement. */
async function explain(read: (tx: Tx) => Promise<unknown>) {
  const plans: Plan[] = []
  const texts: string[] = []
  await observer.transaction({}, async (tx) => {
    await read({
      ...tx,
      query: async <Row extends object>(statement: Sql) => {
        const isSetting = statement.text.includes('set_config')
        if (!isSetting) {
          const how = sql`${raw('explain (analyze, format json) ')}${statement}`
          const [row] = await tx.query<{ 'QUERY PLAN': { Plan: Plan }[] }>(how)
          const plan = row?.['QUERY PLAN'][0]?.Plan
          if (plan) plans.push(plan)
          texts.push(statement.text)
        }
        return tx.query<Row>(statement)
      },
    })
  })
  return { plans, texts }
}

/** The generic plan that PostgreSQL keeps for a statement that is run often. */
async function genericPlans(texts: readonly string[]): Promise<Plan[]> {
  const plans: Plan[] = []
  for (const text of texts) {
    const { rows } = await client.query(`explain (generic_plan, format json) ${text}`)
    plans.push(rows[0]['QUERY PLAN'][0].Plan)
  }
  return plans
}

function expectIndexes(plans: Plan[]): void {
  expect(plans.length).toBeGreaterThan(0)
  for (const plan of plans) {
    expect(scansOf(plan).length).toBeGreaterThan(0)
    for (const node of scansOf(plan)) {
      expect(node['Node Type'], node['Relation Name']).toMatch(/Index|Bitmap Heap Scan/)
    }
  }
}

const search = (term: string) => (tx: Tx) => listMatchingIds(tx, { term, page })

/** Each read, with the largest number of rows that it may touch. */
const searches: Record<string, [read: (tx: Tx) => Promise<unknown>, touched: number]> = {
  'a name that one organization has': [search('House 121'), 300],
  'a name that one organization in a hundred has': [
    search('quarry'),
    200 + 0.03 * SIZE.organizations,
  ],
  'a word that one organization in ten has': [search('HARBOUR H'), 0.3 * SIZE.organizations],
  'a word that nearly all organizations have': [search('trading'), 300],
  'two characters that nearly all names have': [search('ho'), 300],
  'one character that a hundred names have': [search('q'), 500],
  'two characters that no name has': [search('漢字'), 10],
  'a name that no organization has': [search('%_\\nobody'), 10],
  'an id': [search(organizationId), 10],
  'the id of a payment': [search(idAt('payment', PAID)), 10],
  'the id of an expense': [search(idAt('expense', PAID)), 10],
  'the address of an executor': [search(addressAt('executor', BUSY)), 10],
  'the address of a recipient': [search(addressAt('recipient', BUSY)), 10],
  "the address of a member's wallet": [search(addressAt('wallet', BUSY)), 10],
  'the address of a vault': [search(addressAt('vault', BUSY)), 10],
  'the hash of an attempt': [search(hashAt('attempt', PAID)), 10],
  'the hash of a deployment': [search(hashAt('deployment', BUSY)), 10],
  'the hash of a policy': [search(hashAt('policy', BUSY)), 10],
  'the hash of an unrecorded payment': [search(hashAt('execution', BUSY)), 10],
  'the id of an unrecorded payment on the chain': [search(hashAt('unrecorded', BUSY)), 10],
}

const sorts: CaseSort[] = ['newest', 'oldest', 'priority_desc', 'priority_asc']
const filters = [
  {},
  { state: 'open' as const },
  { priority: 3 },
  { state: 'open' as const, priority: 3 },
]

const lists: Record<string, [read: (tx: Tx) => Promise<unknown>, touched: number]> = {
  'the first page of organizations': [(tx) => listOrganizationIds(tx, page), 110],
  'a page from the middle': [
    (tx) => listOrganizationIds(tx, { limit: 100, beforeId: organizationId }),
    110,
  ],
  'the figures of a page': [
    (tx) =>
      listFigures(
        tx,
        Array.from({ length: 100 }, (_, n) => idAt('organization', n + 1)),
      ),
    1_500,
  ],
  'failed runs': [(tx) => listFailedRuns(tx, 100), 110],
  // Each with its signature.
  'failed payments': [(tx) => listFailedPayments(tx, 100), 210],
  'failed attempts': [(tx) => listFailedAttempts(tx, 100), 110],
  'unrecorded payments': [
    (tx) => listOpenUnrecorded(tx, { organizationId: null, limit: 100 }),
    330,
  ],
  'the opener of a case': [(tx) => findCaseOrganization(tx, idAt('case', 501)), 2],
  ...Object.fromEntries(
    sorts.flatMap((sort) =>
      filters.map((filter) => [
        `cases ${JSON.stringify(filter)} by ${sort}`,
        [(tx: Tx) => listCases(tx, { filter, sort, limit: 25, offset: 0 }), 1_000],
      ]),
    ),
  ),
  'the vaults of an organization': [(tx) => listVaults(tx, { organizationId, page }), 10],
  'the members of an organization': [(tx) => listMembers(tx, { organizationId, page }), 10],
  'the expenses of an organization': [
    (tx) => listExpenses(tx, { organizationId, onlyOf: null, page }),
    50,
  ],
  'the comments of an organization': [(tx) => detail.listOrganizationComments(tx, of), 20],
  'the reports of an organization': [(tx) => detail.listOrganizationReports(tx, of), 20],
  'the runs of an organization': [(tx) => detail.listOrganizationRuns(tx, of), 20],
  'the approvals of an organization': [(tx) => detail.listOrganizationApprovals(tx, of), 20],
  'the payments of an organization': [(tx) => detail.listOrganizationPayments(tx, of), 20],
  'the attempts of an organization': [(tx) => detail.listOrganizationAttempts(tx, of), 20],
  'the attempts ahead of a payment': [
    (tx) =>
      detail.listAttemptsAhead(tx, {
        organizationId,
        paymentId: idAt('payment', PAID),
        laneId: idAt('executor', BUSY),
        nonce: 100_000,
      }),
    70,
  ],
  'the receipts of an organization': [(tx) => detail.listOrganizationReceipts(tx, of), 20],
  'the cases of an organization': [(tx) => detail.listOrganizationCases(tx, of), 20],
  'the notes of an organization': [(tx) => detail.listOrganizationNotes(tx, of), 20],
}

describe(`among ${SIZE.organizations} organizations and ${SIZE.expenses} expenses`, () => {
  test('the data set has that many rows', async () => {
    const counts = await observer.transaction({}, findOverviewCounts)
    expect(counts).toMatchObject({
      organizations: SIZE.organizations,
      failedPayments: SIZE.expenses / 100,
    })
  })

  test.each(Object.entries(searches))('%s uses indexes only', async (_name, [read, most]) => {
    const { plans } = await explain(read)
    expectIndexes(plans)
    expect(touched(plans)).toBeLessThanOrEqual(most)
  })

  test.each(Object.entries(lists))(
    '%s uses indexes only, with generic plans too',
    async (_name, [read, most]) => {
      const { plans, texts } = await explain(read)
      expectIndexes([...plans, ...(await genericPlans(texts))])
      expect(touched(plans)).toBeLessThanOrEqual(most)
    },
  )

  test(`every read takes milliseconds over ${ROUNDS} rounds`, async () => {
    const ms: number[] = []
    for (let n = 0; n < ROUNDS; n += 1) {
      for (const [read] of [...Object.values(searches), ...Object.values(lists)]) {
        const begun = performance.now()
        await observer.transaction({}, read)
        ms.push(performance.now() - begun)
      }
    }
    reportFigures({ reads: ms.length, p50: percentile(ms, 0.5), p99: percentile(ms, 0.99) })
    expect(percentile(ms, 0.5)).toBeLessThan(1_000)
  })

  test("a name search uses the name index: the observer's policy adds no filter", async () => {
    const { plans } = await explain(search('House 121'))
    expect(indexesOf(plans)).toContain('organizations_name')
    const one = await explain(search('q'))
    expect(indexesOf(one.plans)).toContain('organizations_name')
  })

  test('counts are index-only scans', async () => {
    // Counting all organizations or all cases has no shorter way.
    const some = filters.slice(1).map((by) => (tx: Tx) => findCaseCount(tx, by))
    const counts = [findOverviewCounts, ...some]
    for (const count of counts) {
      const { plans } = await explain(count)
      const scans = plans.flatMap(scansOf)
      const others = scans.filter((node) => node['Node Type'] !== 'Index Only Scan')
      const tables = others.map((node) => node['Relation Name'])
      expect(tables.filter((name) => name !== 'organizations')).toEqual([])
    }
  })

  test('no list of cases needs a sort', async () => {
    for (const sort of sorts) {
      for (const filter of filters) {
        const { plans } = await explain((tx) =>
          listCases(tx, { filter, sort, limit: 25, offset: 0 }),
        )
        const types = plans.flatMap(nodesOf).map((node) => node['Node Type'])
        expect(types.filter((type) => type.includes('Sort'))).toEqual([])
      }
    }
  })
})
