/** A backlog of jobs: each runs once, the oldest of each priority first. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type JobRunner, startJobRunner } from '#platform/jobs/job-runner.ts'
import { createLog } from '#platform/log.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { reportFigures, sizeOf } from '#test/support/figures.ts'
import { times } from '#test/support/steps.ts'

const JOBS = sizeOf('PROVE_JOBS', 600)
const RUNNERS = 2
const CONCURRENCY = 8
const AT_ONCE = RUNNERS * CONCURRENCY
const PRIORITIES = [0, 1, 2]

vi.setConfig({ testTimeout: 60_000 + 20 * JOBS, hookTimeout: 60_000 + 5 * JOBS })

let database: TestDatabase
const runners: JobRunner[] = []
/** Numbers in the order in which they started. */
const begun: number[] = []

beforeAll(async () => {
  database = await createTestDatabase()
  // Within a priority a lower number is older; the priorities alternate.
  await database.asOwner(
    `select count(*) from graphile_worker.add_jobs((
       select array_agg(row('probe', json_build_object('n', n), null,
           now() - interval '1 hour' + n * interval '1 millisecond',
           null, null, n % ${PRIORITIES.length}, null)::graphile_worker.job_spec)
       from generate_series(0, $1::integer - 1) n))`,
    [JOBS],
  )
  // Test servers run no autovacuum.
  await database.asOwner('analyze graphile_worker._private_jobs')
})
afterAll(async () => {
  await Promise.all(runners.map((runner) => runner.stop()))
  await database.drop()
})

const left = async (): Promise<number> => {
  const [row] = await database.asOwner<{ count: number }>(
    'select count(*)::integer from graphile_worker._private_jobs',
  )
  return row?.count ?? -1
}

/** How many places one started before an older one of its priority. */
function farthestAhead(priority: number): number {
  const own = begun.filter((n) => n % PRIORITIES.length === priority)
  const sorted = own.toSorted((a, b) => a - b)
  const placeOf = new Map(sorted.map((n, place) => [n, place]))
  return own.reduce((most, n, place) => Math.max(most, (placeOf.get(n) ?? 0) - place), 0)
}

/** Every job of a priority starts before any of the next, except those already running. */
const overlap = (): number => {
  const firstOfLast = begun.findIndex((n) => n % PRIORITIES.length === PRIORITIES.length - 1)
  const before = begun.slice(firstOfLast).filter((n) => n % PRIORITIES.length === 0)
  return before.length
}

test(`${JOBS} waiting jobs each run once, the oldest of a priority first`, async () => {
  const start = performance.now()
  const jobs = { probe: async (payload: unknown) => void begun.push((payload as { n: number }).n) }
  const log = createLog({ level: 'silent' })
  const options = { url: database.url, concurrency: CONCURRENCY, schedule: [], log, jobs }
  runners.push(...(await Promise.all(times(RUNNERS, () => startJobRunner(options)))))
  await vi.waitFor(async () => expect(await left()).toBe(0), {
    timeout: 30_000 + 10 * JOBS,
    interval: 100,
  })
  const seconds = (performance.now() - start) / 1_000
  const ahead = Math.max(...PRIORITIES.map(farthestAhead))
  // Each runner takes several at once, and two runners are never in step.
  const early = Math.max(0, ahead - 2 * AT_ONCE)
  const twice = begun.length - new Set(begun).size
  const perSecond = Math.round(JOBS / seconds)
  const waitMax = Number(seconds.toFixed(1))
  reportFigures({ jobs: begun.length, left: await left(), twice, ahead, early, perSecond, waitMax })
  expect(begun.toSorted((a, b) => a - b)).toEqual(times(JOBS, (n) => n))
  expect(early).toBe(0)
  expect(overlap()).toBeLessThanOrEqual(2 * AT_ONCE)
})
