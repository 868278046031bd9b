/**
 * What reads cost as the data grows: the same list, detail, overview, snapshot and searches in
 * databases with a thousand, a hundred thousand and a million expenses of one organization,
 * alternately; medians, as ratios to the smallest. The number of organizations and the backlog
 * (expenses that wait for somebody) grow in proportion. `GROWTH_SIZES=1000,10000` sets other sizes.
 */
import pg from 'pg'
import { readOrganization } from '#admin/read-organization.ts'
import { readOrganizations } from '#admin/read-organizations.ts'
import { closeContext, compose } from '#compose.ts'
import type { Context } from '#context.ts'
import type { ExpenseFilter } from '#expenses/expense-filter.ts'
import { countExpenses, readExpenses } from '#expenses/list-expenses.ts'
import { readExpense } from '#expenses/read-expenses.ts'
import { createWaiting } from '#live/read-tasks.ts'
import { readMemberContent } from '#live/snapshot.ts'
import { readConfig } from '#platform/config/config.ts'
import { migrate } from '#platform/database/migrate.ts'
import { readPage } from '#platform/paging.ts'
import { readOverview } from '#treasury/overview.ts'
import {
  type DataSet,
  TABLES,
  writeDataSet,
  writeLiveEvents,
  writeOrganizations,
} from './data-set.ts'
import { type Figure, handOver } from './figures.ts'
import { type Ground, prepareGround } from './service-stage.ts'
import { inTurns, rounded, say } from './turns.ts'

const SIZES = (process.env.GROWTH_SIZES ?? '1000,100000,1000000').split(',').map(Number)
const ROUNDS = Number(process.env.GROWTH_ROUNDS ?? 200)
/** Reads in a row that are timed together: a single one is too short for the clock. */
const IN_A_ROW = 4
/** The newest expenses, of which about one in four is open. */
const OPEN_SHARE = 0.6
const EXPENSES_AN_ORGANIZATION = 100
const RATIO_MAX = 1.3
/** Small, so that every filter fills it in the smallest database too. */
const PAGE = 20

type House = { expenses: number; ctx: Context; data: DataSet }

async function openHouse(ground: Ground, expenses: number): Promise<House> {
  const url = new URL(ground.url)
  url.pathname = `expenses_${expenses}`
  await ground.pool.query(`create database expenses_${expenses}`)
  await migrate({ url: url.href })
  const options = '-c search_path=countersign'
  const pool = new pg.Pool({ connectionString: url.href, max: 1, options })
  for (const table of [...TABLES, 'live_events']) {
    await pool.query(`alter table ${table} no force row level security`)
  }
  const openWithin = Math.ceil(expenses * OPEN_SHARE)
  const data = await writeDataSet(pool, { name: 'growth', expenses, openWithin })
  const count = Math.ceil(expenses / EXPENSES_AN_ORGANIZATION)
  await writeOrganizations(pool, { name: 'growth', count })
  await writeLiveEvents(pool, { name: 'growth', expenses, data })
  await pool.query('vacuum analyze')
  await pool.end()
  const env = { ...ground.env, DATABASE_URL: url.href, DATABASE_POOL_SIZE: '2' }
  return { expenses, data, ctx: compose({ ...readConfig(env), logLevel: 'silent' }) }
}

type Work = (house: House) => Promise<unknown>

const memberOf = ({ data }: House) => ({
  organizationId: data.organizationId,
  membershipId: data.membershipId,
  accountId: data.accountId,
  role: 'manager' as const,
  requestId: 'bench',
})

const operatorOf = ({ accountId }: DataSet) => ({
  realm: 'admin' as const,
  accountId,
  requestId: 'bench',
})

const search =
  (query: (data: DataSet) => string): Work =>
  ({ ctx, data }) => {
    const page = readPage({ limit: 10 })
    return readOrganizations(ctx, { operator: operatorOf(data), q: query(data), page })
  }

type FilterOf = (data: DataSet) => ExpenseFilter

const listingOf = (house: House, filterOf: FilterOf, waitingFor?: 'me') => ({
  member: memberOf(house),
  filter: filterOf(house.data),
  ...(waitingFor && { waitingFor }),
})

const listContextOf = ({ ctx }: House) => ({ db: ctx.db, waiting: createWaiting(ctx) })

const list =
  (filterOf: FilterOf, waitingFor?: 'me'): Work =>
  (house) =>
    readExpenses(listContextOf(house), {
      ...listingOf(house, filterOf, waitingFor),
      page: readPage({ limit: PAGE }),
    })

const counts =
  (filterOf: FilterOf, waitingFor?: 'me'): Work =>
  (house) =>
    countExpenses(listContextOf(house), listingOf(house, filterOf, waitingFor))

const ago = (days: number): Date => new Date(Date.now() - days * 86_400_000)

/** Every filter, for values that many expenses have, few, and none; those of few fill a page. */
const filters: Record<string, FilterOf> = {
  'in one state': () => ({ states: ['rejected'] }),
  'in one of three states': () => ({ states: ['needs_review', 'awaiting_approval', 'blocked'] }),
  'in a state that nothing is in': () => ({ states: ['cancelled'] }),
  'of one submitter': ({ accountId }) => ({ submitterAccountId: accountId }),
  'to one recipient': ({ recipientId }) => ({ recipientId }),
  'from one vault': ({ vaultId }) => ({ vaultId }),
  'of one category': () => ({ category: 'travel' }),
  'of a category that nothing has': () => ({ category: 'food' }),
  'from a day on': () => ({ from: ago(20) }),
  'up to a day': () => ({ before: ago(200) }),
  'of some months': () => ({ from: ago(290), before: ago(100) }),
  'of a time without expenses': () => ({ from: ago(800), before: ago(700) }),
  'of an amount or more': () => ({ minAmount: 20_000_500n }),
  'up to an amount': () => ({ maxAmount: 20_000_500n }),
  'of amounts that one in a hundred has': () => ({ minAmount: 20_000_987n }),
  'of amounts that nothing has': () => ({ minAmount: 30_000_000n, maxAmount: 40_000_000n }),
  'with a frequent word': () => ({ q: 'paper' }),
  'with a word that one in eight has': () => ({ q: 'ink' }),
  'with a reference': ({ reference }) => ({ q: reference }),
  'with a word that nothing has': () => ({ q: 'zeppelin' }),
}

/** Measures only those whose name has this in it. */
const ONLY = process.env.GROWTH_ONLY ?? ''

const works: Record<string, Work> = {
  'list of 20': list(() => ({})),
  ...Object.fromEntries(
    Object.entries(filters).map(([name, filter]) => [`list of 20 ${name}`, list(filter)]),
  ),
  'list of 20 that wait for me': list(() => ({}), 'me'),
  'counts of all': counts(() => ({})),
  ...Object.fromEntries(
    Object.entries(filters).map(([name, filter]) => [`counts ${name}`, counts(filter)]),
  ),
  detail: (house) =>
    readExpense(house.ctx, { member: memberOf(house), expenseId: house.data.expenseId }),
  // The lists of those who submit are shorter in the smallest database.
  snapshot: (house) => {
    const { ownerAccountId: accountId, ownerMembershipId: membershipId } = house.data
    return readMemberContent(house.ctx, { ...memberOf(house), accountId, membershipId })
  },
  overview: (house) => readOverview(house.ctx, { member: memberOf(house) }),
  'search by payment': search(({ paymentId }) => paymentId),
  'search by a name that one organization has': search(() => 'growth'),
  'search by a name that nearly all organizations have': search(() => 'company'),
  'administrator’s detail': ({ ctx, data }) =>
    readOrganization(ctx, { operator: operatorOf(data), organizationId: data.organizationId }),
}

async function measure(houses: readonly House[]): Promise<Figure[]> {
  const [least, ...others] = houses.map(({ expenses }) => expenses)
  const figures: Figure[] = []
  for (const [what, work] of Object.entries(works)) {
    if (!what.includes(ONLY)) continue
    const contestants = Object.fromEntries(
      houses.map((house) => {
        const run = async () => {
          const began = performance.now()
          for (let n = 0; n < IN_A_ROW; n += 1) await work(house)
          return (performance.now() - began) / IN_A_ROW
        }
        // A name of digits alone would sort before the others.
        return [`of ${house.expenses}`, run]
      }),
    )
    for (const run of Object.values(contestants)) for (let n = 0; n < 10; n += 1) await run()
    const { values, ratios } = await inTurns(contestants, ROUNDS)
    const count = (n = 0) => n.toLocaleString('en')
    for (const size of others) {
      figures.push({
        what: `${what}, ${count(size)} expenses`,
        value: rounded(1 / (ratios[`of ${size}`] ?? 0)),
        unit: '',
        beside: `${count(least)} expenses`,
        target: { atMost: RATIO_MAX },
        more: {
          [`ms at ${count(least)}`]: rounded(values[`of ${least}`] ?? 0),
          [`ms at ${count(size)}`]: rounded(values[`of ${size}`] ?? 0),
        },
      })
    }
  }
  return figures
}

const ground = await prepareGround()
const houses: House[] = []
try {
  for (const size of SIZES) {
    const began = performance.now()
    houses.push(await openHouse(ground, size))
    say(`${size} expenses written in ${Math.round((performance.now() - began) / 1000)} s`)
  }
  await handOver(await measure(houses))
} finally {
  for (const { ctx } of houses) await closeContext(ctx)
  await ground.stop()
}
