import { setTimeout as wait } from 'node:timers/promises'
import sql from 'sql-template-tag'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { type Db, openDatabase } from '#platform/database/database.ts'
import { cleanUp, onCleanUp, type Running, runScript } from '#test/processes/processes.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'

vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 })

afterAll(cleanUp)

const FIXTURE = 'test/processes/fixtures/worker.ts'

type Run = { label: string; event: 'began' | 'ended'; pid: number }
type Bench = {
  database: TestDatabase
  /** As the application: every connection uses its role. */
  app: Db
  enqueue(label: string, job?: string, queue?: string): Promise<void>
  release(label: string): Promise<unknown>
  runs(): Promise<Run[]>
  startWorker(): Promise<Running>
}

const add = (label: string, job: string, queue: string | null) => sql`
  select enqueue_job(${job}, ${JSON.stringify({ label })}::json, ${queue}, null, null, null)`

async function makeBench(): Promise<Bench> {
  const database = await createTestDatabase()
  const { asOwner, url } = database
  await asOwner(`create table public.runs (n serial, label text, event text, pid integer);
                 create table public.released (label text)`)
  const app = openDatabase({ url, poolSize: 2 })
  onCleanUp(async () => {
    await app.close()
    await database.drop()
  })
  return {
    database,
    app,
    enqueue: (label, job = 'quick', queue) =>
      app.transaction({}, async (tx) => void (await tx.query(add(label, job, queue ?? null)))),
    release: (label) => asOwner('insert into public.released values ($1)', [label]),
    runs: () => asOwner<Run>('select label, event, pid from public.runs order by n'),
    async startWorker() {
      const worker = runScript(FIXTURE, { DATABASE_URL: url })
      await worker.says(/working/)
      return worker
    },
  }
}

const until = (check: () => Promise<void>, timeout = 20_000) =>
  vi.waitFor(check, { timeout, interval: 50 })

const untilBegan = ({ runs }: Bench, label: string) =>
  until(async () =>
    expect(await runs()).toContainEqual(expect.objectContaining({ label, event: 'began' })),
  )

const untilEnded = ({ runs }: Bench, label: string, timeout?: number) =>
  until(
    async () =>
      expect(await runs()).toContainEqual(expect.objectContaining({ label, event: 'ended' })),
    timeout,
  )

const labelled = (runs: Run[], label: string) => runs.filter((run) => run.label === label)

const jobsLeft = async ({ database }: Bench): Promise<unknown[]> =>
  database.asOwner('select task_identifier, attempts from graphile_worker.jobs')

type Presence = { id: number; poolId: string | null; beatAt: Date }

const presences = ({ database }: Bench) =>
  database.asOwner<Presence>(
    'select id, pool_id as "poolId", beat_at as "beatAt" from worker_processes order by id',
  )

describe.concurrent('a durable job', () => {
  test('vanishes when its transaction rolls back, and runs once after a commit', async () => {
    const bench = await makeBench()
    await Promise.all([bench.startWorker(), bench.startWorker()])
    const undone = bench.app.transaction({}, async (tx) => {
      await tx.query(add('undone', 'quick', null))
      throw new Error('changed my mind')
    })
    await expect(undone).rejects.toThrow('changed my mind')
    await bench.enqueue('done')
    await untilEnded(bench, 'done')
    // A queue runs in order: all earlier jobs would have run by now.
    await bench.enqueue('last')
    await untilEnded(bench, 'last')
    await until(async () => expect(await jobsLeft(bench)).toEqual([]))
    const runs = await bench.runs()
    expect(labelled(runs, 'undone')).toEqual([])
    expect(labelled(runs, 'done').map(({ event }) => event)).toEqual(['began', 'ended'])
  })

  test('and the rest of its queue are run by another worker seconds after a kill -9', async () => {
    const bench = await makeBench()
    const doomed = await bench.startWorker()
    await bench.enqueue('held', 'hang_once', 'lane')
    await untilBegan(bench, 'held')
    const heir = await bench.startWorker()
    for (const label of ['second', 'third', 'fourth']) await bench.enqueue(label, 'quick', 'lane')
    await bench.enqueue('loose')
    await untilEnded(bench, 'loose')
    // The dead worker holds the queue's lock: the live one must still wait.
    expect(await presences(bench)).toHaveLength(2)
    expect((await bench.runs()).map(({ label }) => label)).toEqual(['held', 'loose', 'loose'])

    doomed.kill('SIGKILL')
    await doomed.ended
    // About 12 s on an idle machine; the queue's own time-out is hours.
    await untilEnded(bench, 'fourth', 30_000)
    const after = (await bench.runs()).filter(({ label }) => label !== 'loose').slice(1)
    expect(after).toEqual(
      ['held', 'second', 'third', 'fourth'].flatMap((label) => [
        { label, event: 'began', pid: heir.pid },
        { label, event: 'ended', pid: heir.pid },
      ]),
    )
    await until(async () => expect(await presences(bench)).toHaveLength(1))
  })

  test('stays with a worker that only stalls for 8 s', async () => {
    const bench = await makeBench()
    const stalled = await bench.startWorker()
    await bench.enqueue('held', 'until_released', 'lane')
    await untilBegan(bench, 'held')
    await bench.startWorker()
    await bench.enqueue('next', 'quick', 'lane')
    stalled.kill('SIGSTOP')
    await wait(8_000)
    expect(await bench.runs()).toEqual([{ label: 'held', event: 'began', pid: stalled.pid }])
    stalled.kill('SIGCONT')
    await bench.release('held')
    await untilEnded(bench, 'next')
    expect(labelled(await bench.runs(), 'held')).toEqual([
      { label: 'held', event: 'began', pid: stalled.pid },
      { label: 'held', event: 'ended', pid: stalled.pid },
    ])
    await until(async () => expect(await jobsLeft(bench)).toEqual([]))
  })
})

describe.concurrent('a worker', () => {
  test('sends heartbeats and recovers when all its connections are cut', async () => {
    const bench = await makeBench()
    const worker = await bench.startWorker()
    await until(async () => expect((await presences(bench))[0]?.poolId).toBeTruthy())
    const [before] = await presences(bench)
    await until(async () => {
      const [now] = await presences(bench)
      expect(now?.id).toBe(before?.id)
      expect(Number(now?.beatAt)).toBeGreaterThan(Number(before?.beatAt))
    })
    await bench.enqueue('held', 'until_released')
    await untilBegan(bench, 'held')
    const cut = await bench.database.asOwner(`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'countersign'
        and pid <> pg_backend_pid()`)
    expect(cut.length).toBeGreaterThanOrEqual(3)
    await bench.release('held')
    await untilEnded(bench, 'held')
    await bench.enqueue('next')
    await untilEnded(bench, 'next')
    await until(async () => {
      const [now, ...others] = await presences(bench)
      expect(others).toEqual([])
      expect(now?.id).not.toBe(before?.id)
      expect(now?.poolId).toBe(before?.poolId)
    })
    await until(async () => expect(await jobsLeft(bench)).toEqual([]))
    expect(labelled(await bench.runs(), 'held')).toHaveLength(2)
    worker.kill('SIGTERM')
    expect(await worker.ended).toEqual({ code: 0, signal: null })
  })

  test('that is stopped finishes its current job, takes no other and deregisters', async () => {
    const bench = await makeBench()
    const worker = await bench.startWorker()
    await bench.enqueue('held', 'until_released')
    await untilBegan(bench, 'held')
    expect(await presences(bench)).toHaveLength(1)
    worker.kill('SIGTERM')
    // The worker is stopping once its listener for new jobs is gone.
    await until(async () => {
      const rows = await bench.database.asOwner(`
        select from pg_stat_activity where datname = current_database() and query ~* '^listen'`)
      expect(rows).toEqual([])
    })
    await bench.enqueue('other')
    await bench.release('held')
    expect(await worker.ended).toEqual({ code: 0, signal: null })
    expect(await presences(bench)).toEqual([])
    expect(await bench.runs()).toEqual([
      { label: 'held', event: 'began', pid: worker.pid },
      { label: 'held', event: 'ended', pid: worker.pid },
    ])
    expect(await jobsLeft(bench)).toEqual([{ task_identifier: 'quick', attempts: 0 }])
    await bench.startWorker()
    await untilEnded(bench, 'other')
  })
})
