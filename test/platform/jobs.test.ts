/**
 * A keyed job that replaces one which a worker is taking: the worker may have read before the
 * change was committed, so another job must follow.
 */
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { type Db, openDatabase, type Tx } from '#platform/database/database.ts'
import { enqueue, enqueueAll } from '#platform/jobs/jobs.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'

let database: TestDatabase
let db: Db
/** What a worker does when it takes a job, uncommitted. */
let taker: pg.Client

beforeAll(async () => {
  database = await createTestDatabase()
  db = openDatabase({ url: database.url, poolSize: 2 })
  taker = new pg.Client(database.url)
  await taker.connect()
})
afterAll(async () => {
  await taker.end()
  await db.close()
  await database.drop()
})

// A failing test must not leave its transaction to the next.
afterEach(() => taker.query('rollback'))

type Lane = { organizationId: string; laneId: string }
type Asking = (tx: Tx, lane: Lane) => void | Promise<void>

const keyOf = ({ laneId }: Lane) => `work_lane:${laneId}`
const newLane = (): Lane => ({ organizationId: randomUUID(), laneId: randomUUID() })

const now: Asking = (tx, lane) => enqueue(tx, 'work_lane', lane, { key: keyOf(lane) })
const later: Asking = (tx, lane) =>
  enqueue(tx, 'work_lane', lane, { key: keyOf(lane), delaySeconds: 60, unlessDue: true })
const together: Asking = (tx, lane) =>
  enqueueAll(tx, 'work_lane', [{ payload: lane, options: { key: keyOf(lane) } }])

const ask = (how: Asking, lane: Lane) =>
  db.transaction({ organizationId: lane.organizationId }, (tx) => how(tx, lane))

/** Commits only when the other waits for it. */
async function askMeanwhile(how: Asking, lane: Lane): Promise<void> {
  const asking = ask(how, lane)
  asking.catch(() => {})
  await untilItWaits()
  await taker.query('commit')
  await asking
}

const askedByTaker = (lane: Lane) =>
  taker.query('select countersign.enqueue_job($1, $2, null, null, $3, null)', [
    'work_lane',
    JSON.stringify(lane),
    keyOf(lane),
  ])

const take = (lane: Lane) =>
  taker.query(
    `update graphile_worker._private_jobs set locked_at = now(), locked_by = 'worker',
       attempts = attempts + 1 where key = $1`,
    [keyOf(lane)],
  )

async function running(lane: Lane): Promise<void> {
  await ask(now, lane)
  await take(lane)
}

/** Both jobs of a lane, the taken one first: which is taken, and which has the key. */
const jobsOf = ({ laneId }: Lane) =>
  database.asOwner(
    `select locked_at is not null as taken, key is not null as keyed
     from graphile_worker._private_jobs where payload ->> 'laneId' = $1 order by id`,
    [laneId],
  )

async function untilItWaits(): Promise<void> {
  await vi.waitFor(async () => {
    const waiting = await database.asOwner(
      `select from pg_stat_activity where datname = current_database()
         and wait_event_type = 'Lock' and query ~ 'enqueue_job'`,
    )
    expect(waiting).toHaveLength(1)
  }, 20_000)
}

const waysToAsk: [name: string, how: Asking][] = [
  ['immediately', now],
  ['for later, unless one is due', later],
  ['among others', together],
]

describe.each(waysToAsk)('a job requested %s', (_name, how) => {
  test('while a worker takes the one with its key is added after it', async () => {
    const lane = newLane()
    await ask(now, lane)
    await taker.query('begin')
    await take(lane)
    await askMeanwhile(how, lane)
    expect(await jobsOf(lane)).toEqual([
      { taken: true, keyed: false },
      { taken: false, keyed: true },
    ])
  })

  test("while another request's job is taken immediately is added after it", async () => {
    const lane = newLane()
    await taker.query('begin')
    await askedByTaker(lane)
    await take(lane)
    await askMeanwhile(how, lane)
    expect(await jobsOf(lane)).toEqual([
      { taken: true, keyed: false },
      { taken: false, keyed: true },
    ])
  })

  test('while the one with its key is not taken is that one', async () => {
    const lane = newLane()
    await ask(now, lane)
    await ask(how, lane)
    expect(await jobsOf(lane)).toEqual([{ taken: false, keyed: true }])
  })
})

test.each([
  ['requested in a minute, then in an hour', 60, 3_600],
  ['requested in an hour, then in a minute', 3_600, 60],
])('%s, unless one is due: it is due in a minute', async (_name, ...delays) => {
  const lane = newLane()
  for (const delaySeconds of delays) {
    await ask(
      (tx) => enqueue(tx, 'work_lane', lane, { key: keyOf(lane), delaySeconds, unlessDue: true }),
      lane,
    )
  }
  const [due] = await database.asOwner(
    `select run_at <= now() + interval '1 minute' as "inAMinute"
     from graphile_worker._private_jobs where key = $1`,
    [keyOf(lane)],
  )
  expect(due).toEqual({ inAMinute: true })
})

test.each([
  ['nothing else is there', async () => {}],
  ['the one before it runs', running],
])(
  'an immediate job while %s stays due when another is requested for later',
  async (_name, before) => {
    const lane = newLane()
    await before(lane)
    await taker.query('begin')
    await askedByTaker(lane)
    await askMeanwhile(later, lane)
    const due = await database.asOwner(
      'select run_at <= now() as "isDue" from graphile_worker._private_jobs where key = $1',
      [keyOf(lane)],
    )
    expect(due).toEqual([{ isDue: true }])
  },
)
