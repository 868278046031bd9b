/** A worker during a database outage. Whole processes: test/processes/jobs.strain.test.ts. */
import pg from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type JobRunner, startJobRunner } from '#platform/jobs/job-runner.ts'
import { createLog } from '#platform/log.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { type Gate, openGate, throughGate } from '#test/support/gate.ts'

let database: TestDatabase
let gate: Gate
let runner: JobRunner
let runs = 0
const held = Promise.withResolvers<void>()

beforeAll(async () => {
  database = await createTestDatabase()
  gate = await openGate(new URL(database.url))
  runner = await startJobRunner({
    url: throughGate(database.url, gate),
    concurrency: 2,
    schedule: [],
    log: createLog({ level: 'silent' }),
    jobs: {
      held: () => {
        runs += 1
        return held.promise
      },
    },
  })
})
afterAll(async () => {
  held.resolve()
  await runner.stop()
  await gate.close()
  await database.drop()
})

type Sign = { id: number; ageSeconds: number }
const signs = () =>
  database.asOwner<Sign>(`
    select id, extract(epoch from now() - beat_at)::float8 as "ageSeconds"
    from worker_processes`)

test('registers again after an outage, and its long job is not started twice', async () => {
  await database.asOwner(`select graphile_worker.add_job('held', queue_name => 'lane')`)
  await vi.waitFor(() => expect(runs).toBe(1), 30_000)
  const [before] = await signs()

  await gate.shut()
  await vi.waitFor(async () => expect((await signs())[0]?.ageSeconds).toBeGreaterThan(3.5), 30_000)
  await gate.open()
  await vi.waitFor(async () => {
    const now = await signs()
    expect(now.some(({ id, ageSeconds }) => id !== before?.id && ageSeconds < 1.5)).toBe(true)
  }, 20_000)

  // Long enough for several sweeps, which must find it alive.
  const back = performance.now()
  await vi.waitFor(() => expect(performance.now() - back).toBeGreaterThan(8_000), 12_000)
  expect(await signs()).toHaveLength(1)
  expect(runs).toBe(1)
}, 60_000)

/** Locks the table until `release`. */
async function hold(url: string, table: string) {
  const client = new pg.Client(url)
  await client.connect()
  await client.query(`begin; lock table ${table} in access exclusive mode`)
  return { release: () => client.end() }
}

const waitingForLocks = (own: TestDatabase) =>
  own.asOwner<{ query: string }>(
    `select query from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock'`,
  )

test('an interrupted heartbeat or sweep is not a failure while stopping', async () => {
  const own = await createTestDatabase()
  const door = await openGate(new URL(own.url))
  const lines: string[] = []
  const stopped = await startJobRunner({
    url: throughGate(own.url, door),
    concurrency: 1,
    schedule: [],
    log: createLog({ level: 'warn', destination: { write: (line) => void lines.push(line) } }),
    jobs: {},
  })
  const signs = await hold(own.url, 'countersign.worker_processes')
  // A heartbeat and a sweep are blocked: the second starts some seconds after the start.
  await expect.poll(() => waitingForLocks(own)).toHaveLength(2)
  const ended = Promise.allSettled([stopped.stop()])
  await door.shut()
  await ended
  expect(lines.filter((line) => /heartbeat|sweep/.test(line))).toEqual([])
  await signs.release()
  await own.drop()
}, 60_000)

test('losing the database while it stops prints nothing', async () => {
  const own = await createTestDatabase()
  const door = await openGate(new URL(own.url))
  const trace = vi.spyOn(console, 'trace').mockImplementation(() => {})
  const stopped = await startJobRunner({
    url: throughGate(own.url, door),
    concurrency: 1,
    schedule: [],
    log: createLog({ level: 'silent' }),
    jobs: { idle: async () => {} },
  })
  const jobs = await hold(own.url, 'graphile_worker._private_jobs')
  await expect
    .poll(async () => {
      const waiting = await waitingForLocks(own)
      return waiting.some(({ query }) => query.includes('is_available'))
    })
    .toBe(true)
  const ended = Promise.allSettled([stopped.stop()])
  await door.shut()
  await ended
  expect(trace).not.toHaveBeenCalled()
  trace.mockRestore()
  await jobs.release()
  await own.drop()
}, 60_000)
