/** A job that is running stays locked, and no queue stays locked without one. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type JobRunner, startJobRunner } from '#platform/jobs/job-runner.ts'
import { createLog } from '#platform/log.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'

vi.setConfig({ testTimeout: 60_000 })
const PATIENCE = { timeout: 40_000, interval: 50 }

let database: TestDatabase
let runner: JobRunner
const runs: PromiseWithResolvers<void>[] = []

beforeAll(async () => {
  database = await createTestDatabase()
  runner = await startJobRunner({
    url: database.url,
    concurrency: 2,
    schedule: [],
    log: createLog({ level: 'silent' }),
    jobs: {
      held: () => {
        const run = Promise.withResolvers<void>()
        runs.push(run)
        return run.promise
      },
    },
  })
})
afterAll(async () => {
  for (const run of runs) run.resolve()
  await runner.stop()
  await database.drop()
})

const wake = (lane: string) =>
  database.asOwner(
    `select graphile_worker.add_job('held', queue_name => '${lane}', job_key => '${lane}')`,
  )

const runsReach = (count: number) => vi.waitFor(() => expect(runs).toHaveLength(count), PATIENCE)

/** A sweep frees dead workers' queues first: when the second is free, one sweep has ended. */
async function sweepEnds() {
  for (const queue of ['first', 'second']) {
    await database.asOwner(`
      insert into graphile_worker._private_job_queues (queue_name, locked_by, locked_at)
      values ('${queue}', 'a dead worker', now() - interval '1 minute')
      on conflict (queue_name) do update
      set locked_by = excluded.locked_by, locked_at = excluded.locked_at`)
    await vi.waitFor(async () => {
      const locked = await database.asOwner(`
        select from graphile_worker._private_job_queues
        where queue_name = '${queue}' and locked_by is not null`)
      expect(locked).toEqual([])
    }, PATIENCE)
  }
}

test('a job that is enqueued again while it runs is started again only afterwards', async () => {
  await wake('lane 1')
  await runsReach(1)
  await wake('lane 1')
  await sweepEnds()
  expect(runs).toHaveLength(1)

  runs[0]?.resolve()
  await runsReach(2)
  runs[1]?.resolve()
})

test('a queue whose job another worker completed meanwhile is freed', async () => {
  await wake('lane 2')
  await runsReach(3)
  await database.asOwner(`delete from graphile_worker._private_jobs where key = 'lane 2'`)
  runs[2]?.resolve()
  await wake('lane 2')
  await runsReach(4)
  runs[3]?.resolve()
})
