/**
 * Runs durable jobs (graphile-worker). A worker that dies by kill -9 leaves its jobs and whole
 * queues locked for hours; so every worker process holds an advisory lock for as long as it lives
 * and beats in a table, and every living one frees what the dead have left. Both signs must be
 * gone before anything is freed: a stalled worker still holds its lock, and one that lost its
 * connection beats again as soon as it is back.
 */
import { EventEmitter } from 'node:events'
import { parseCronItems, Logger as QueueLogger, type Runner, run } from 'graphile-worker'
import type pg from 'pg'
import sql from 'sql-template-tag'
import { openQueuePool } from '#platform/database/database.ts'
import type { Log } from '#platform/log.ts'
import { type JobResult, loggedJob } from './job-log.ts'
import type { JobName, JobTable } from './jobs.ts'
import { createQueueConnections } from './queue-connections.ts'

const LOCK_CLASS = 1_131_376_245
const BEAT_EVERY_MS = 1_000
const SWEEP_EVERY_MS = 2_000
const POLL_EVERY_MS = 1_000
const RELEASE_WITHIN_MS = 8_000
const SETTLED_AFTER_MS = 3_000

export type JobFunctions = Record<string, (payload: unknown) => Promise<void>>

export type JobRunnerOptions = {
  url: string
  concurrency: number
  jobs: JobFunctions
  schedule: readonly { job: JobName; cron: string }[]
  log: Log
  onJobDone?: (result: JobResult) => void
}

export type JobRunner = {
  /** Rejects when the runner cannot go on by itself. */
  failed: Promise<never>
  /** Takes no new jobs, waits for the ones in hand, and signs off. */
  stop(): Promise<void>
}

type Presence = { id: number; connection: pg.PoolClient }

/** Registers this process and takes the lock that says it lives. */
async function signOn(pool: pg.Pool): Promise<Presence> {
  const connection = await pool.connect()
  try {
    return { id: await register(connection), connection }
  } catch (error) {
    connection.release(true)
    throw error
  }
}

/** Best effort: what is left of a process that is gone is swept by the others. */
async function signOff(pool: pg.Pool, { id, connection }: Presence): Promise<void> {
  await pool.query(sql`delete from worker_processes where id = ${id}`).catch(() => {})
  connection.release(true)
}

async function register(connection: pg.PoolClient): Promise<number> {
  // A machine that vanished without a word must lose its lock in seconds, not hours.
  await connection.query(`set tcp_keepalives_idle = 4; set tcp_keepalives_interval = 2;
                          set tcp_keepalives_count = 2`)
  const { rows } = await connection.query(
    sql`insert into worker_processes default values returning id`,
  )
  const id: number = rows[0].id
  await connection.query(sql`select pg_advisory_lock(${LOCK_CLASS}, ${id})`)
  return id
}

/** The lock lives on its own connection; undefined when that is lost. */
async function stillSignedOn(presence: Presence | undefined): Promise<Presence | undefined> {
  if (!presence) return undefined
  try {
    await presence.connection.query('select 1')
    return presence
  } catch {
    presence.connection.release(true)
    return undefined
  }
}

const beat = (pool: pg.Pool, id: number, poolId: string) =>
  pool.query(sql`
    insert into worker_processes (id, pool_id) overriding system value values (${id}, ${poolId})
    on conflict (id) do update set beat_at = now(), pool_id = excluded.pool_id`)

/** Frees everything locked by a worker that is neither holding its lock nor beating. */
export async function freeDeadWorkersJobs(pool: pg.Pool): Promise<string[]> {
  const { rows } = await pool.query(sql`
    with signs as (
      select w.id, w.pool_id,
             w.beat_at > now() - interval '5 seconds' or exists (
               select from pg_locks l
               where l.locktype = 'advisory' and l.classid = ${LOCK_CLASS}::oid
                 and l.objid = w.id::oid and l.objsubid = 2 and l.granted
                 and l.database = (select oid from pg_database where datname = current_database())
             ) as alive
      from worker_processes w
    ), forgotten as (
      delete from worker_processes w using signs s where w.id = s.id and not s.alive
    ), held as (
      select locked_by from graphile_worker._private_jobs
      where locked_at < now() - interval '5 seconds'
      union
      select locked_by from graphile_worker._private_job_queues
      where locked_at < now() - interval '5 seconds'
    ), dead as (
      select locked_by from held
      where locked_by not in (select pool_id from signs where alive and pool_id is not null)
    )
    select locked_by, graphile_worker.force_unlock_workers(array[locked_by]) from dead`)
  return rows.map((row) => row.locked_by)
}

/** Calls `work` again and again until stopped, never twice at once; a failure waits its turn. */
function repeat(work: () => Promise<unknown>, everyMs: number, onError: (e: unknown) => void) {
  let timer: NodeJS.Timeout | undefined
  let stopped = false
  let current: Promise<unknown> = Promise.resolve()
  const turn = () => {
    current = work()
      .catch(onError)
      .finally(() => {
        if (!stopped) timer = setTimeout(turn, everyMs)
      })
  }
  turn()
  return {
    async stop() {
      stopped = true
      clearTimeout(timer)
      await current
    },
  }
}

const queueLogger = (log: Log) =>
  new QueueLogger(() => (level, message, meta) => {
    if (level === 'error') log.error({ err: meta?.error }, message)
    else if (level === 'warning') log.warn(message)
    else log.debug(message)
  })

/** A runner that ends because it was stopped has not failed. */
function neverUnlessFailed(running: Promise<void>): Promise<never> {
  const failed = running.then(() => new Promise<never>(() => {}))
  failed.catch(() => {})
  return failed
}

/** `joined` is told the name under which this process locks its jobs. */
function runQueue(
  pool: pg.Pool,
  options: JobRunnerOptions,
  joined: (poolId: string) => void,
): Promise<Runner> {
  const { concurrency, jobs, schedule, log } = options
  const events = new EventEmitter()
  events.on('pool:create', ({ workerPool }: { workerPool: { id: string } }) => {
    joined(workerPool.id)
  })
  return run({
    pgPool: pool,
    concurrency,
    pollInterval: POLL_EVERY_MS,
    noHandleSignals: true,
    gracefulShutdownAbortTimeout: RELEASE_WITHIN_MS,
    events: events as never,
    logger: queueLogger(log),
    taskList: Object.fromEntries(
      Object.entries(jobs).map(([name, work]) => [name, loggedJob(name, work, options)]),
    ),
    parsedCronItems: parseCronItems(
      schedule.map(({ job, cron }) => ({ task: job, match: cron, identifier: job })),
    ),
  })
}

export async function startJobRunner(options: JobRunnerOptions): Promise<JobRunner> {
  const { url, concurrency, log } = options
  const pool = openQueuePool({ url, max: concurrency + 6 })
  const connections = createQueueConnections(pool, log)
  let presence: Presence | undefined
  let poolId = ''
  let runner: Runner
  try {
    presence = await signOn(pool)
    runner = await runQueue(connections.pool, options, (id) => {
      poolId = id
    })
  } catch (error) {
    if (presence) await signOff(pool, presence)
    await pool.end()
    throw error
  }
  let beatingSince = performance.now()
  let isStopping = false
  // Whoever stops is taking things down: that one of them is gone already is no news.
  const warn = (error: unknown, message: string) => {
    if (!isStopping) log.warn({ err: error }, message)
  }

  const heart = repeat(
    async () => {
      // Given up before it is taken again: a failed sign-on must not release it twice.
      presence = await stillSignedOn(presence)
      presence ??= await signOn(pool)
      await beat(pool, presence.id, poolId)
      beatingSince = Math.min(beatingSince, performance.now())
    },
    BEAT_EVERY_MS,
    (error) => {
      beatingSince = Number.POSITIVE_INFINITY
      warn(error, 'worker heartbeat failed')
    },
  )
  const sweep = repeat(
    async () => {
      // After an outage the others need a moment to be seen beating again.
      if (performance.now() - beatingSince < SETTLED_AFTER_MS) return
      const freed = await freeDeadWorkersJobs(pool)
      if (freed.length > 0) log.warn({ freed }, 'freed the jobs of dead workers')
      const jobIds = await connections.unlockLostJobs(poolId)
      if (jobIds.length > 0)
        log.warn({ jobIds }, 'unlocked jobs that were assigned but never started')
    },
    SWEEP_EVERY_MS,
    (error) => warn(error, 'sweep of dead workers failed'),
  )

  return {
    failed: neverUnlessFailed(runner.promise),
    async stop() {
      isStopping = true
      await sweep.stop()
      try {
        await runner.stop()
      } finally {
        await connections.stop()
        // Only now: while jobs are in hand, the others must see it beating.
        await heart.stop()
        if (presence) await signOff(pool, presence)
        await pool.end()
      }
    },
  }
}

/** The catalogue's typed functions, as the queue calls them. */
export const asJobFunctions = (table: JobTable): JobFunctions => table as unknown as JobFunctions
