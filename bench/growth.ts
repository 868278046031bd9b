/**
 * What reading costs as the books grow: the same list, detail, snapshot and search in databases
 * with a thousand, a hundred thousand and a million expenses, in turns; medians, as ratios to the
 * smallest. What waits for somebody is as much in each: it is the history that grows.
 * `GROWTH_SIZES=1000,10000` sets other sizes.
 */
import pg from 'pg'
import { readOrganizations } from '#admin/read-organizations.ts'
import { closeContext, compose } from '#compose.ts'
import type { Context } from '#context.ts'
import { readExpense, readExpenses } from '#expenses/read-expenses.ts'
import { readMemberSnapshot } from '#live/snapshot.ts'
import { readConfig } from '#platform/config/config.ts'
import { migrate } from '#platform/database/migrate.ts'
import { readPage } from '#platform/paging.ts'
import { type Books, TABLES, writeBooks, writeLiveEvents } from './expense-books.ts'
import { type Figure, handOver } from './figures.ts'
import { type Ground, prepareGround } from './service-stage.ts'
import { inTurns, rounded, say } from './turns.ts'

const SIZES = (process.env.GROWTH_SIZES ?? '1000,100000,1000000').split(',').map(Number)
const ROUNDS = Number(process.env.GROWTH_ROUNDS ?? 200)
/** Of each that is measured, one after the other: a clock is too coarse for less. */
const AT_ONCE = 4
const OPEN = 600
const RATIO_MAX = 1.3

type House = { expenses: number; ctx: Context; books: Books }

async function openHouse(ground: Ground, expenses: number): Promise<House> {
  const url = new URL(ground.url)
  url.pathname = `books_${expenses}`
  await ground.pool.query(`create database books_${expenses}`)
  await migrate({ url: url.href })
  const options = '-c search_path=countersign'
  const pool = new pg.Pool({ connectionString: url.href, max: 1, options })
  for (const table of [...TABLES, 'live_events']) {
    await pool.query(`alter table ${table} no force row level security`)
  }
  const books = await writeBooks(pool, { name: 'growth', expenses, openWithin: OPEN })
  await writeLiveEvents(pool, { name: 'growth', expenses, books })
  await pool.query('vacuum analyze')
  await pool.end()
  const env = { ...ground.env, DATABASE_URL: url.href, DATABASE_POOL_SIZE: '2' }
  return { expenses, books, ctx: compose({ ...readConfig(env), logLevel: 'silent' }) }
}

type Work = (house: House) => Promise<unknown>

const memberOf = ({ books }: House) => ({
  organizationId: books.organizationId,
  membershipId: books.membershipId,
  accountId: books.accountId,
  role: 'manager' as const,
  requestId: 'bench',
})

const search =
  (query: (books: Books) => string): Work =>
  ({ ctx, books }) => {
    const operator = { realm: 'admin' as const, accountId: books.accountId, requestId: 'bench' }
    return readOrganizations(ctx, { operator, q: query(books), page: readPage({ limit: 10 }) })
  }

const works: Record<string, Work> = {
  'list of 50': (house) =>
    readExpenses(house.ctx, { member: memberOf(house), page: readPage({ limit: 50 }) }),
  detail: (house) =>
    readExpense(house.ctx, { member: memberOf(house), expenseId: house.books.expenseId }),
  snapshot: (house) => readMemberSnapshot(house.ctx, memberOf(house)),
  'search by payment': search(({ paymentId }) => paymentId),
  'search by name': search(() => 'growth'),
}

async function measure(houses: readonly House[]): Promise<Figure[]> {
  const [least, ...others] = houses.map(({ expenses }) => expenses)
  const figures: Figure[] = []
  for (const [what, work] of Object.entries(works)) {
    const contestants = Object.fromEntries(
      houses.map((house) => {
        const run = async () => {
          const began = performance.now()
          for (let n = 0; n < AT_ONCE; n += 1) await work(house)
          return (performance.now() - began) / AT_ONCE
        }
        // A name in digits would be put in another order.
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
