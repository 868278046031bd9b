/** When a failed job is attempted again. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type Db, openDatabase } from '#platform/database/database.ts'
import { type JobRunner, startJobRunner } from '#platform/jobs/job-runner.ts'
import { enqueue, RETRY_WITHIN_SECONDS } from '#platform/jobs/jobs.ts'
import { createLog } from '#platform/log.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'

let database: TestDatabase
let db: Db
let runner: JobRunner | undefined

beforeAll(async () => {
  database = await createTestDatabase()
  db = openDatabase({ url: database.url, poolSize: 2 })
})
afterAll(async () => {
  await runner?.stop()
  await db.close()
  await database.drop()
})

const fails = async () => {
  throw new Error('the attempt failed')
}

type Failed = { name: string; delay: number; attempts: number; most: number }

const failed = () =>
  database.asOwner<Failed>(`
    select task_identifier as name, attempts, max_attempts as most,
      extract(epoch from run_at - updated_at)::float8 as delay
    from graphile_worker.jobs where last_error is not null order by task_identifier`)

test('jobs that move money are retried soon, others with a growing delay', async () => {
  const payment = { organizationId: crypto.randomUUID(), paymentId: crypto.randomUUID() }
  await db.transaction({}, async (tx) => {
    await enqueue(tx, 'prune_expired', {})
    await enqueue(tx, 'release_payment', payment)
  })
  // As after five killed workers.
  await database.asOwner('update graphile_worker._private_jobs set attempts = 5')
  runner = await startJobRunner({
    url: database.url,
    concurrency: 2,
    jobs: { prune_expired: fails, release_payment: fails },
    schedule: [],
    log: createLog({ level: 'silent' }),
  })
  await vi.waitFor(async () => {
    const [other, release, ...more] = await failed()
    expect(more).toEqual([])
    expect([other?.name, release?.name]).toEqual(['prune_expired', 'release_payment'])
    expect(other?.delay).toBeGreaterThan(60)
    expect(release?.delay).toBeLessThanOrEqual(RETRY_WITHIN_SECONDS + 1)
    expect([other?.most, release?.most]).toEqual([25, 1_000])
  }, 20_000)
})
