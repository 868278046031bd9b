/**
 * The connection pool as graphile-worker sees it. The library writes a job's outcome without
 * waiting for the statement: an error there is an unhandled rejection, which ends the process, and
 * the job stays locked, with its queue, by a worker that lives. So statements that write an outcome
 * are repeated here until the database has executed one, and jobs that were locked for us by a
 * `get_job` whose answer was lost are unlocked again. Jobs that move money are retried soon.
 */
import { setTimeout as wait } from 'node:timers/promises'
import type pg from 'pg'
import sql from 'sql-template-tag'
import type { Log } from '#platform/log.ts'
import { PROMPT_JOBS, RETRY_WITHIN_SECONDS } from './jobs.ts'

const RETRY_MIN_MS = 100
const RETRY_MAX_MS = 2_000

export type QueueConnections = {
  /** The pool for graphile-worker. */
  pool: pg.Pool
  /** Unlocks jobs that this process has locked but never received. Returns their ids. */
  unlockLostJobs(poolId: string): Promise<string[]>
  /** From now on, a failure to take a job counts as no job: nobody would repeat it. */
  startStopping(): void
  /** Waits for statements in progress. One that fails from now on is not repeated. */
  stop(): Promise<void>
}

type Statement = pg.QueryConfig<unknown[]>
type Result = pg.QueryResult<Record<string, unknown>>
type Outcome = { jobIds: string[]; isFailure: boolean; poolId: string }

const asStatement = (asked: string | Statement, values?: unknown[]): Statement =>
  typeof asked === 'string' ? { text: asked, ...(values && { values }) } : asked

/** Null unless the statement completes or fails jobs without anybody waiting for it. */
function outcomeOf({ name = '', values = [] }: Statement): Outcome | null {
  const [kind = ''] = name.split('/')
  const [first, second] = values
  if (['complete_job', 'complete_job_q', 'complete_jobs'].includes(kind)) {
    return { jobIds: [first].flat().map(String), isFailure: false, poolId: String(second ?? '') }
  }
  if (!['fail_job', 'fail_job_q'].includes(kind)) return null
  const failures = JSON.parse(String(second)) as { jobId: unknown }[]
  return {
    jobIds: failures.map(({ jobId }) => String(jobId)),
    isFailure: true,
    poolId: String(first),
  }
}

const takesJobs = ({ name = '' }: Statement): boolean => name.startsWith('get_job')

/** The library caches its first answer about its tasks forever, even an error. */
const describesTasks = ({ text }: Statement): boolean => text.includes('_private_tasks')

async function withClient<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>) {
  const client = await pool.connect()
  try {
    const result = await work(client)
    client.release()
    return result
  } catch (error) {
    client.release(true)
    throw error
  }
}

type State = {
  pool: pg.Pool
  log: Log
  /** Attempt numbers of jobs whose outcome is not written yet, by job id. */
  inHand: Map<string, number>
  /** Statements in progress that lock jobs, and those that are repeated. */
  taking: Set<Promise<unknown>>
  writing: Set<Promise<unknown>>
  isTakingJobs: boolean
  stopping: AbortController
}

function track<T>(set: Set<Promise<unknown>>, work: Promise<T>): Promise<T> {
  set.add(work)
  const forget = () => void set.delete(work)
  work.then(forget, forget)
  return work
}

/** Undefined if it gave up because the process stops. */
async function untilExecuted(
  { log, stopping: { signal } }: State,
  about: object,
  work: (attempt: number) => Promise<Result>,
): Promise<Result | undefined> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const result = await work(attempt)
      if (attempt > 1) log.info({ ...about, attempt }, 'job queue statement executed')
      return result
    } catch (err) {
      if (signal.aborted) return undefined
      log.warn({ ...about, attempt, err }, 'job queue statement failed, repeating it')
      const delay = Math.min(RETRY_MAX_MS, RETRY_MIN_MS * 2 ** (attempt - 1))
      await wait(delay, undefined, { signal }).catch(() => {})
    }
  }
}

const failJobs = async (
  client: pg.PoolClient,
  statement: Statement,
  { jobIds }: Outcome,
): Promise<Result> => {
  const result = await client.query(statement)
  await client.query(sql`
    update graphile_worker._private_jobs j
    set run_at = least(run_at, now() + make_interval(secs => ${RETRY_WITHIN_SECONDS}))
    from graphile_worker._private_tasks t
    where j.id = any(${jobIds}::bigint[]) and t.id = j.task_id
      and t.identifier = any(${PROMPT_JOBS}::text[]) and j.locked_by is null`)
  return result
}

/** The failure may be written already, and the job started again: then there is nothing to do. */
const failAgain = (
  { pool, inHand }: State,
  statement: Statement,
  outcome: Outcome,
): Promise<Result> =>
  withClient(pool, async (client) => {
    const { poolId } = outcome
    const [id = ''] = outcome.jobIds
    await client.query('begin')
    const held = await client.query(sql`
      select from graphile_worker._private_jobs
      where id = ${id} and attempts = ${inHand.get(id)} and locked_by = ${poolId} for update`)
    if (held.rows.length > 0) await failJobs(client, statement, outcome)
    return client.query('commit')
  })

async function writeOutcome(state: State, statement: Statement, outcome: Outcome) {
  const { pool, inHand } = state
  const { jobIds, isFailure } = outcome
  const taken = jobIds.map((id) => [id, inHand.get(id)] as const)
  const result = await untilExecuted(state, { jobIds }, (attempt) => {
    if (isFailure && attempt > 1) return failAgain(state, statement, outcome)
    return withClient(pool, (client) =>
      isFailure ? failJobs(client, statement, outcome) : client.query(statement),
    )
  })
  for (const [id, attempts] of taken) if (inHand.get(id) === attempts) inHand.delete(id)
  return result
}

type Taken = Pick<Result, 'rows'>

async function takeJobs(state: State, query: Promise<Result>): Promise<Taken> {
  try {
    const result = await query
    for (const { id, attempts } of result.rows) state.inHand.set(String(id), Number(attempts))
    return result
  } catch (error) {
    // The library would print the error of a worker that is being stopped.
    if (!state.isTakingJobs) return { rows: [] }
    throw error
  }
}

/** Connects when it is first needed: an outcome must not be lost to a refused connection. */
function lazyClient(state: State) {
  const { pool, taking, writing } = state
  let connection: Promise<pg.PoolClient> | undefined
  const plain = async (statement: Statement): Promise<Result> => {
    connection ??= pool.connect()
    return (await connection).query(statement)
  }
  return {
    query(asked: string | Statement, values?: unknown[]): Promise<Taken | undefined> {
      const statement = asStatement(asked, values)
      const outcome = outcomeOf(statement)
      if (outcome) return track(writing, writeOutcome(state, statement, outcome))
      if (takesJobs(statement)) return track(taking, takeJobs(state, plain(statement)))
      if (!describesTasks(statement)) return plain(statement)
      const describe = () => withClient(pool, (client) => client.query(statement))
      return track(writing, untilExecuted(state, { statement: 'tasks' }, describe))
    },
    async release() {
      const client = await connection?.catch(() => undefined)
      client?.release()
    },
  }
}

export function createQueueConnections(pool: pg.Pool, log: Log): QueueConnections {
  const stopping = new AbortController()
  const state: State = {
    pool,
    log,
    stopping,
    inHand: new Map(),
    taking: new Set(),
    writing: new Set(),
    isTakingJobs: true,
  }
  return {
    // `LISTEN` and the scheduler use callbacks and `query`, and handle their own errors.
    pool: Object.create(pool, {
      connect: {
        value: (callback?: Parameters<pg.Pool['connect']>[0]) =>
          callback ? pool.connect(callback) : Promise.resolve(lazyClient(state)),
      },
    }),
    async unlockLostJobs(poolId) {
      const { rows } = await pool.query<LockedJob>(sql`
        select id, attempts from graphile_worker._private_jobs where locked_by = ${poolId}`)
      // Statements in progress may have locked these rows; once answered, their jobs are known.
      await Promise.allSettled(state.taking)
      // Not by attempt number: enqueueing a running job again raises it to the maximum.
      const lost = rows.filter(({ id }) => !state.inHand.has(String(id)))
      return lost.length === 0 ? [] : unlock(pool, poolId, lost)
    },
    startStopping() {
      state.isTakingJobs = false
    },
    async stop() {
      stopping.abort()
      await Promise.allSettled(state.writing)
    },
  }
}

type LockedJob = { id: unknown; attempts: number }

/** They were never run, so the attempt does not count. */
async function unlock(
  pool: pg.Pool,
  poolId: string,
  lost: readonly LockedJob[],
): Promise<string[]> {
  const { rows } = await pool.query<{ id: unknown }>(sql`
    with lost as (
      update graphile_worker._private_jobs j
      set locked_by = null, locked_at = null, attempts = greatest(j.attempts - 1, 0)
      from unnest(${lost.map(({ id }) => String(id))}::bigint[],
        ${lost.map(({ attempts }) => attempts)}::integer[]) as l (id, attempts)
      where j.id = l.id and j.attempts = l.attempts and j.locked_by = ${poolId}
      returning j.id, j.job_queue_id
    ), freed as (
      update graphile_worker._private_job_queues q set locked_by = null, locked_at = null
      from lost where q.id = lost.job_queue_id and q.locked_by = ${poolId}
    )
    select id from lost`)
  return rows.map(({ id }) => String(id))
}
