/**
 * Runs durable jobs (graphile-worker). A killed worker leaves its jobs and queues locked for hours.
 * So every worker holds an advisory lock and writes a heartbeat, and the others unlock the
 * jobs of a worker that has neither. Both signs are needed: a stalled worker still holds its lock,
 * and a worker that lost its connection resumes its heartbeat after reconnecting.
 */
import { EventEmitter } from 'node:events'
import { parseCronItems, Logger as QueueLogger, type Runner, run } from 'graphile-worker'
import type pg from 'pg'
import sql from 'sql-template-tag'
import { openQueuePool } from '#platform/database/database.ts'
import type { Log } from '#platform/log.ts'
import { type JobResult, loggedJob } from './job-log.ts'
import type { JobName, JobTable } from './jobs.ts'
import { createQueueConnections, type QueueConnections } from './queue-connections.ts'

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
  /** Rejects if the runner fails permanently. */
  failed: Promise<never>
  /** Takes no new jobs, waits for running ones, and unregisters the process. */
  stop(): Promise<void>
}

type Presence = { id: number; connection: pg.PoolClient }

/** Registers this process and takes its liveness lock. */
async function signOn(pool: pg.Pool): Promise<Presence> {
  const connection = await pool.connect()
  try {
    return { id: await register(connection), connection }
  } catch (error) {
    connection.release(true)
    throw error
  }
}

/** Best effort: other workers remove the rows of dead processes. */
async function signOff(pool: pg.Pool, { id, connection }: Presence): Promise<void> {
  await pool.query(sql`delete from worker_processes where id = ${id}`).catch(() => {})
  connection.release(true)
}

async function register(connection: pg.PoolClient): Promise<number> {
  // A machine that disappears must lose its lock within seconds, not hours.
  await connection.query(`set tcp_keepalives_idle = 4; set tcp_keepalives_interval = 2;
                          set tcp_keepalives_count = 2`)
  const { rows } = await connection.query(
    sql`insert into worker_processes default values returning id`,
  )
  const id: number = rows[0].id
  await connection.query(sql`select pg_advisory_lock(${LOCK_CLASS}, ${id})`)
  return id
}

/** The lock belongs to its connection; undefined if that is lost. */
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

/** Unlocks everything locked by workers with neither lock nor heartbeat. */
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

/**
 * Unlocks queues whose job is gone. If a stalled worker is taken for dead, two workers run its job.
 * The first to finish deletes the row; the other then finds no row and leaves its queue locked.
 */
async function freeAbandonedQueues(pool: pg.Pool): Promise<string[]> {
  const { rows } = await pool.query(sql`
    update graphile_worker._private_job_queues q set locked_by = null, locked_at = null
    where q.locked_at < now() - interval '5 seconds' and not exists (
      select from graphile_worker._private_jobs j
      where j.job_queue_id = q.id and j.locked_by = q.locked_by)
    returning q.queue_name`)
  return rows.map((row) => row.queue_name)
}

/** Unlocks what nobody is working on. */
async function sweepLocks({
  pool,
  connections,
  poolId,
  log,
}: {
  pool: pg.Pool
  connections: QueueConnections
  poolId: string
  log: Log
}): Promise<void> {
  const freed = await freeDeadWorkersJobs(pool)
  if (freed.length > 0) log.warn({ freed }, 'freed the jobs of dead workers')
  const jobIds = await connections.unlockLostJobs(poolId)
  if (jobIds.length > 0) log.warn({ jobIds }, 'unlocked jobs that were assigned but never started')
  const queues = await freeAbandonedQueues(pool)
  if (queues.length > 0) log.warn({ queues }, 'unlocked queues whose job is gone')
}

/** Calls `work` repeatedly until stopped, never concurrently. Errors do not end the loop. */
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

/** Stays pending if the runner ends because it was stopped. */
function neverUnlessFailed(running: Promise<void>): Promise<never> {
  const failed = running.then(() => new Promise<never>(() => {}))
  failed.catch(() => {})
  return failed
}

/** `joined` receives the pool id under which this process locks its jobs. */
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
  // Errors are expected while the process shuts down.
  const warn = (error: unknown, message: string) => {
    if (!isStopping) log.warn({ err: error }, message)
  }

  const heart = repeat(
    async () => {
      // Cleared before a new sign-on: if that fails, it must not be released twice.
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
      // After an outage, other workers need time to resume their heartbeats.
      if (performance.now() - beatingSince < SETTLED_AFTER_MS) return
      await sweepLocks({ pool, connections, poolId, log })
    },
    SWEEP_EVERY_MS,
    (error) => warn(error, 'sweep of dead workers failed'),
  )

  return {
    failed: neverUnlessFailed(runner.promise),
    async stop() {
      isStopping = true
      connections.startStopping()
      await sweep.stop()
      try {
        await runner.stop()
      } finally {
        await connections.stop()
        // Only now: the heartbeat must continue while jobs are running.
        await heart.stop()
        if (presence) await signOff(pool, presence)
        await pool.end()
      }
    },
  }
}

/** Adapts the typed job table to the queue's untyped functions. */
export const asJobFunctions = (table: JobTable): JobFunctions => table as unknown as JobFunctions
