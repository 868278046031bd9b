/**
 * Two API and two worker processes on one PostgreSQL under load while some of them die: every
 * acknowledged write exists once, and streams resume. The full size is `npm run prove -- together
 * chaos F15`.
 */
import { setTimeout as wait } from 'node:timers/promises'
import type { Sql } from 'sql-template-tag'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { verifyAudit } from '#journal/audit.ts'
import { openOwnerPool } from '#platform/database/database.ts'
import { createRandom, type Random } from '#test/fuzz/random.ts'
import { type ExpenseHouse, openExpenseHouse } from '#test/support/expenses.ts'
import { isProof, reportFigures, sizeOf } from '#test/support/figures.ts'
import { liftOwnersRowSecurity, times } from '#test/support/steps.ts'
import {
  acknowledged,
  type Follower,
  follow,
  type Ledger,
  openLedger,
  untilAnalysed,
  work,
} from './clients.ts'
import { type Cluster, startCluster, untilUp } from './cluster.ts'
import { type KillablePostgres, startKillablePostgres } from './killable-postgres.ts'
import { cleanUp } from './processes.ts'
import { watchReadiness } from './rotation.ts'
import { blow, type Slot } from './supervised.ts'

const SEED = sizeOf('PROVE_SEED', 20_261_116)
const OPERATIONS = sizeOf('PROVE_OPERATIONS', 30)
const EVERY_MS = sizeOf('PROVE_EVERY_MS', 1_000)
const STOPS = sizeOf('PROVE_STOPS', 2)
const PAUSE_MS = sizeOf('PROVE_PAUSE_MS', 400)
const IS_PROOF = isProof('PROVE_OPERATIONS') || isProof('PROVE_STOPS')
const CLIENTS = IS_PROOF ? 8 : 3
const HOUSES = IS_PROOF ? 3 : 2
const FOLLOWED_WITHIN_MS = 30_000

vi.setConfig({ testTimeout: 120_000 + 400 * OPERATIONS + 60_000 * STOPS, hookTimeout: 180_000 })

let postgres: KillablePostgres
let cluster: Cluster

beforeAll(async () => {
  postgres = await startKillablePostgres()
  cluster = await startCluster({ database: postgres.database })
  await liftOwnersRowSecurity(postgres.database)
})
afterAll(cleanUp)

type Busy = {
  houses: ExpenseHouse[]
  ledger: Ledger
  followers: Follower[]
  /** Events from before the streams began: of members and recipients. */
  earlier: ReadonlySet<string>
  /** Submitted expenses that were not analysed in time, and analyses that were asked for again. */
  analysed: { unfinished: number; resubmitted: number }
}

/** Works until enough is acknowledged and the storm is over, then waits for the rest. */
async function workThrough(
  random: Random,
  storm: () => { stop(): Promise<void> },
  enough: (ledger: Ledger) => boolean,
  urls: readonly string[] = cluster.urls,
): Promise<Busy> {
  const { service } = cluster
  const houses = await Promise.all(times(HOUSES, () => openExpenseHouse(service)))
  const earlier = new Set((await eventsOf(houses)).flatMap(({ events }) => events))
  const ledger = openLedger()
  let totals: Map<string, number> | undefined
  let isGivenUp = false
  const isAll = ({ organization }: ExpenseHouse, count: number) =>
    isGivenUp || count >= (totals?.get(organization.id) ?? Infinity)
  const followers = houses.map((house) =>
    follow(urls, random, house, (count) => isAll(house, count)),
  )
  // Streams must have started first, or they would rightly miss events.
  await expect.poll(() => followers.every(({ connections }) => connections > 0)).toBe(true)
  const blowing = storm()
  let isOver = false
  const isDone = () => isOver && enough(ledger)
  const working = times(CLIENTS, () =>
    work({ urls, houses, random, ledger, isDone, pauseMs: PAUSE_MS }),
  )
  while (!enough(ledger)) await wait(50)
  await blowing.stop()
  isOver = true
  await Promise.all(working)
  const analysed = await untilAnalysed(service, houses)
  totals = new Map((await eventsOf(houses, earlier)).map(({ id, events }) => [id, events.length]))
  const following = Promise.all(followers.map(({ ended }) => ended))
  // What has not arrived by then was missed.
  await Promise.race([following, wait(FOLLOWED_WITHIN_MS, undefined, { ref: false })])
  isGivenUp = true
  await following
  return { houses, ledger, followers, earlier, analysed }
}

const idsOf = (houses: readonly ExpenseHouse[]) => houses.map(({ organization }) => organization.id)

const eventsOf = (houses: readonly ExpenseHouse[], earlier: ReadonlySet<string> = new Set()) =>
  Promise.all(
    houses.map(async ({ organization: { id } }) => {
      const events = await postgres.database.asOwner<{ id: string }>(
        'select id from live_events where organization_id = $1 order by transaction_id, seq',
        [id],
      )
      return { id, events: events.map((event) => event.id).filter((one) => !earlier.has(one)) }
    }),
  )

/** Compares the database with what was acknowledged: nothing lost, nothing twice. */
async function compareLedger({ houses, ledger }: Busy) {
  const { asOwner } = postgres.database
  type Row = { id: string; purpose: string; state: string; reports: number; made: number }
  const rows = await asOwner<Row>(
    `select e.id, r.purpose, concat_ws(': ', e.state, e.block_code) as state,
       (select count(*)::integer from reports t where t.expense_id = e.id) as reports,
       (select count(*)::integer from audit_events a
        where a.aggregate_id = e.id::text and a.action = 'expense.created') as made
     from expenses e join expense_revisions r on r.expense_id = e.id
     where e.organization_id = any($1)`,
    [idsOf(houses)],
  )
  const comments = await asOwner<{ body: string }>(
    'select body from expense_comments where organization_id = any($1)',
    [idsOf(houses)],
  )
  const states = new Map(rows.map(({ id, state }) => [id, state]))
  const said = new Set(comments.map(({ body }) => body))
  const analysed = new Set(rows.filter(({ reports }) => reports > 0).map(({ id }) => id))
  const lost = [
    ...[...ledger.created.values()].filter((id) => !states.has(id)),
    ...[...ledger.submitted.difference(analysed)].map((id) => `${id} is ${states.get(id)}`),
    ...[...ledger.comments].filter((text) => !said.has(text)),
  ]
  const purposes = new Set(rows.map(({ purpose }) => purpose))
  const again = rows.filter(({ reports, made }) => reports > 1 || made !== 1)
  return { lost, twice: rows.length - purposes.size + again.length }
}

/** Every event of its organization once and in order, whichever process sent it. */
async function compareStreams({ houses, followers, earlier }: Busy) {
  const all = await eventsOf(houses, earlier)
  const verdicts = followers.map(({ messages }, n) => {
    const expected = all[n]?.events ?? []
    const ids = messages.map(({ data }) => String(data.id))
    const seen = new Set(ids)
    const inOrder = ids.every((id, place) => id === expected[place])
    return {
      missed: expected.filter((id) => !seen.has(id)).length,
      again: ids.length - seen.size,
      outOfOrder: inOrder ? 0 : 1,
    }
  })
  const sum = (of: (one: (typeof verdicts)[number]) => number) =>
    verdicts.reduce((total, one) => total + of(one), 0)
  return {
    events: all.reduce((total, { events }) => total + events.length, 0),
    connections: followers.reduce((total, { connections }) => total + connections, 0),
    missed: sum(({ missed }) => missed),
    seenTwice: sum(({ again }) => again),
    outOfOrder: sum(({ outOfOrder }) => outOfOrder),
  }
}

async function auditProblems(): Promise<string[]> {
  const pool = openOwnerPool({ url: postgres.database.url, max: 1 })
  const query = async <Row>(statement: Sql) =>
    (await pool.query(statement)).rows as unknown as Row[]
  const { problems } = await verifyAudit(query)
  await pool.end()
  return problems.map(String)
}

/** Reports what was counted, then expects nothing lost, doubled, missed or out of order. */
async function expectWhole(busy: Busy, besides: Record<string, number>): Promise<void> {
  const { lost, ...written } = await compareLedger(busy)
  const streamed = await compareStreams(busy)
  const counts = { lost: lost.length, ...written, ...streamed, ...busy.analysed }
  const { unanswered, surprises } = busy.ledger
  const acked = acknowledged(busy.ledger)
  reportFigures({ seed: SEED, acknowledged: acked, ...counts, unanswered, ...besides })
  expect({ surprises, lost }).toEqual({ surprises: [], lost: [] })
  expect(counts).toMatchObject({ twice: 0, missed: 0, seenTwice: 0, outOfOrder: 0, unfinished: 0 })
  expect(await auditProblems()).toEqual([])
}

/** Waits until all of its kind are up, so that the others can continue. */
async function killOne(random: Random, slots: readonly Slot[]): Promise<void> {
  await Promise.all(slots.map(untilUp))
  const running = random.pick(slots).current()
  running.kill('SIGKILL')
  await running.ended
}

type Killed = { apisKilled: number; workersKilled: number; databaseStops: number }
type Strike = (random: Random, killed: Killed, count: number) => Promise<void>

const killProcess: Strike = async (random, killed, count) => {
  const isApi = count % 2 === 0
  await killOne(random, isApi ? cluster.apis : cluster.workers)
  killed[isApi ? 'apisKilled' : 'workersKilled'] += 1
}

const stopDatabase: Strike = async (random, killed) => {
  await postgres.kill(random.chance(0.5) ? 'SIGQUIT' : 'SIGKILL')
  killed.databaseStops += 1
  await wait(random.integer(0, Math.min(2_000, EVERY_MS)))
  await postgres.restart()
}

type Weather = { what: string; minMs: number; strike: Strike }

/** The proof has a storm of each kind. */
const proven: Weather[] = [
  { what: 'API and worker processes killed', minMs: EVERY_MS / 2, strike: killProcess },
  {
    what: 'PostgreSQL is stopped at once',
    minMs: EVERY_MS,
    strike: async (random, killed, count) => {
      if (count % 4 === 0) await killProcess(random, killed, count)
      await stopDatabase(random, killed, count)
    },
  },
]

const all: Weather = {
  what: 'a worker, an API process and PostgreSQL killed',
  minMs: EVERY_MS / 2,
  strike: (random, killed, count) =>
    (count % 3 === 0 ? stopDatabase : killProcess)(random, killed, count),
}

test.each(IS_PROOF ? proven : [all])(
  `$what: ${OPERATIONS} writes, none lost or doubled`,
  async ({ minMs, strike }) => {
    const random = createRandom(SEED)
    const killed = { apisKilled: 0, workersKilled: 0, databaseStops: 0 }
    const pace = { minMs, maxMs: 2 * minMs, strikesMin: 3 }
    const storm = () => blow(random, pace, (count) => strike(random, killed, count))
    const busy = await workThrough(random, storm, (ledger) => acknowledged(ledger) >= OPERATIONS)
    // Guards the test: some request must have been hit.
    expect(busy.ledger.unanswered).toBeGreaterThan(0)
    await expectWhole(busy, killed)
  },
)

/** Seconds until it has ended by itself; its replacement has been started. */
async function stopInOrder(slot: Slot): Promise<number> {
  const running = slot.current()
  const begun = performance.now()
  running.kill('SIGTERM')
  // One that exceeded its time limit would have exited with 1.
  expect(await running.ended).toEqual({ code: 0, signal: null })
  const seconds = (performance.now() - begun) / 1_000
  await expect.poll(() => slot.current() !== running).toBe(true)
  return seconds
}

test(`told to stop ${STOPS} times under load, processes end in order, losing nothing`, async () => {
  const random = createRandom(SEED + 2)
  const seconds: number[] = []
  const { apis, workers, urls } = cluster
  const rotation = watchReadiness(urls)
  const untilAllReady = () => expect.poll(() => rotation.ready.length).toBe(urls.length)
  await untilAllReady()
  const pace = { minMs: 500, maxMs: 1_500, strikesMin: STOPS }
  const storm = () =>
    blow(random, pace, async (count) => {
      const slot = random.pick(count % 2 === 1 ? apis : workers)
      seconds.push(await stopInOrder(slot))
      await untilUp(slot)
      await untilAllReady()
    })
  const isEnough = () => seconds.length >= STOPS
  const busy = await workThrough(random, storm, isEnough, rotation.ready)
  await rotation.stop()
  const stopMax = Number(Math.max(...seconds).toFixed(1))
  const wordless = busy.followers.reduce((sum, one) => sum + one.wordless, 0)
  const { dropped } = busy.ledger
  await expectWhole(busy, { stops: seconds.length, stopMax, wordless, dropped: dropped.length })
  expect(wordless).toBe(0)
  expect(dropped).toEqual([])
})
