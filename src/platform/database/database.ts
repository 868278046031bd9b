/**
 * The pool and its transactions. API processes query as the role `countersign_app`, workers as
 * `countersign_worker`. Neither owns tables or bypasses row-level security. A transaction names the
 * scope it may see (`Scope`), and PostgreSQL enforces it even if a query lacks the condition.
 */
import pg from 'pg'
import type { Sql } from 'sql-template-tag'
import { toTimestamp } from '#platform/clock.ts'
import { AppError, StartupError } from '#platform/errors.ts'
import { createWakeUps } from '#platform/jobs/wake-ups.ts'
import { codeOf, isConnectionLost } from './lost-connections.ts'
import {
  markPooled,
  type ParserOf,
  type PreparedStatement,
  runTogether,
  statementOf,
} from './pipeline.ts'
import {
  type SettingOptions,
  searchPathOf,
  settings,
  settingsOf,
  setupOf,
  WORKER_ROLE,
} from './settings.ts'
import {
  inScope,
  inTransaction,
  type Reader,
  type ReadingScope,
  rescope,
  type Scope,
  type TransactionOptions,
  type Tx,
} from './transaction.ts'

export type { Reader, Scope, Tx }
export { rescope }

export type Db = {
  /** One statement as its own transaction, without a tenant's scope. */
  query<Row extends object = object>(statement: Sql): Promise<Row[]>
  /** Retried after a deadlock, so `work` must have no effects outside the database. */
  transaction<T>(
    scope: Scope,
    work: (tx: Tx) => T | Promise<T>,
    options?: TransactionOptions,
  ): Promise<T>
  /** Reads by key in a tenant's scope. Concurrent queries share one round trip. */
  read<T>(scope: ReadingScope, work: (reader: Reader) => Promise<T>): Promise<T>
  pool: { total: number; idle: number; waiting: number }
  close(): Promise<void>
}

const CONNECT_TIMEOUT_MS = 5_000
const KEEPALIVE_AFTER_MS = 5_000
const WAITING_MAX_PER_CONNECTION = 50
const ATTEMPTS_MAX = 4

const parsers: Record<number, (value: string) => unknown> = {
  [pg.types.builtins.TIMESTAMPTZ]: toTimestamp,
  [pg.types.builtins.INT8]: safeInteger,
  [pg.types.builtins.NUMERIC]: (value) => BigInt(value),
}

/** For counts and block numbers; money is numeric. Throws instead of rounding silently. */
function safeInteger(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new RangeError(`${text} is too large for a number`)
  return value
}

const types: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    (format !== 'binary' && parsers[oid]) || pg.types.getTypeParser(oid, format as 'text'),
}

const parserOf: ParserOf = (oid) => parsers[oid] ?? pg.types.getTypeParser(oid, 'text')

/** Uses the connection string's own login, for migrations and commands. */
export const openOwnerPool = ({ url, max = 4 }: { url: string; max?: number }): pg.Pool =>
  openPlainPool({ url, max })

/** The job queue's connections. A worker's login only needs membership of the worker role. */
export const openQueuePool = ({ url, max }: { url: string; max: number }): pg.Pool =>
  openPlainPool({ url, max, role: WORKER_ROLE })

function openPlainPool({ url, max, role }: { url: string; max: number; role?: string }): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    application_name: 'countersign',
    options: settings({ ...(role && { role }), search_path: searchPathOf(url), timezone: 'UTC' }),
    keepAlive: true,
    types,
  })
  return tolerant(pool)
}

/** Ignores errors of idle connections: the pool replaces them, and queries report their own. */
function tolerant(pool: pg.Pool): pg.Pool {
  const ignore = () => {}
  pool.on('error', ignore)
  pool.on('connect', (client) => client.on('error', ignore))
  return pool
}

export type DatabaseOptions = SettingOptions & {
  poolSize: number
  /** Readers of live events could not be notified of a commit. */
  onNotifyFailed?: (error: unknown) => void
}

const IDLE_MS = 10_000

function openPool(options: DatabaseOptions, idleTimeoutMillis = IDLE_MS): pg.Pool {
  const { url, poolSize, isPooled = false, as } = options
  const pool = new pg.Pool({
    connectionString: url,
    max: poolSize,
    idleTimeoutMillis,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    application_name: 'countersign',
    ...(!isPooled && { options: settings(settingsOf(options)) }),
    allowExitOnIdle: as === 'owner',
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEPALIVE_AFTER_MS,
    types,
  })
  if (isPooled) pool.on('connect', markPooled)
  return tolerant(pool)
}

/** One statement, as its own transaction. */
const queryOn =
  (connect: () => Promise<pg.PoolClient>, setup: readonly PreparedStatement[]) =>
  <Row extends object>(statement: Sql): Promise<Row[]> =>
    translated(async () => {
      const client = await connect()
      return releasing(client, async () => {
        const statements = [...setup, statementOf(statement)]
        const outcome = await runTogether(client, statements, parserOf)
        if ('failure' in outcome) throw outcome.failure.error
        return (outcome.results.at(-1) ?? []) as Row[]
      })
    })

export function openDatabase(options: DatabaseOptions): Db {
  const { poolSize, onNotifyFailed } = options
  const pool = openPool(options)
  const setup = setupOf(options)
  const connect = async () => {
    // An unbounded queue would turn overload into time-outs for every request.
    if (pool.waitingCount >= poolSize * WAITING_MAX_PER_CONNECTION) throw unavailable()
    return pool.connect()
  }
  // A separate connection, so that notifications do not queue behind waiting requests.
  const notifyPool = openPool({ ...options, poolSize: 1 }, 0)
  const wakeUps = createWakeUps({
    query: queryOn(() => notifyPool.connect(), setup),
    ...(onNotifyFailed && { onFailure: onNotifyFailed }),
  })

  const transactOnce = async <T>(
    about: { scope: Scope; options: TransactionOptions | undefined },
    work: (tx: Tx) => T | Promise<T>,
  ): Promise<T> => {
    let isAnnounced = false
    const announce = () => {
      isAnnounced = true
    }
    const client = await connect()
    const frame = { ...about, parserOf, setup, announce }
    const result = await releasing(client, () => inTransaction(client, frame, work))
    if (isAnnounced) wakeUps.wake()
    return result
  }

  return {
    query: queryOn(connect, setup),
    transaction: (scope, work, options) =>
      translated(async () => {
        for (let attempt = 1; ; attempt += 1) {
          try {
            return await transactOnce({ scope, options }, work)
          } catch (error) {
            if (attempt >= ATTEMPTS_MAX || !isRetryable(error)) throw error
          }
        }
      }),
    read: (scope, work) =>
      translated(async () => {
        const client = await connect()
        return releasing(client, () => inScope(client, { scope, parserOf, setup }, work))
      }),
    pool: {
      get total() {
        return pool.totalCount
      },
      get idle() {
        return pool.idleCount
      },
      get waiting() {
        return pool.waitingCount
      },
    },
    async close() {
      await wakeUps.settled()
      await Promise.all([pool.end(), notifyPool.end()])
    },
  }
}

/**
 * For long exports, once a page of rows is written out. Scavenges of V8 do not free rows of pg,
 * though nothing uses them any more: they would all stay until the next full collection.
 */
export function forgetRows(rows: unknown[]): void {
  rows.length = 0
}

/** Discards a broken connection; keeps one whose statement merely failed. */
async function releasing<T>(client: pg.PoolClient, work: () => Promise<T>): Promise<T> {
  try {
    const result = await work()
    client.release()
    return result
  } catch (error) {
    client.release(isConnectionLost(error))
    throw error
  }
}

async function translated<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw isOutage(error) ? unavailable(error) : error
  }
}

const unavailable = (cause?: unknown) =>
  new AppError('dependency_unavailable', { retryAfterSeconds: 1, cause })

const isRetryable = (error: unknown): boolean => ['40001', '40P01'].includes(codeOf(error))

/** `lock_timeout` passed while another transaction held the lock. */
export const isLockTimeout = (error: unknown): boolean => codeOf(error) === '55P03'

export const isPermissionDenied = (error: unknown): boolean => codeOf(error) === '42501'

export const isUniqueViolation = (error: unknown, constraint: string): boolean =>
  codeOf(error) === '23505' && (error as { constraint?: string }).constraint === constraint

const busyCodes = /^(53...|57014|55P03|40001|40P01)$/

/** The database is unavailable or overloaded; the operation may be retried. */
export const isOutage = (error: unknown): boolean =>
  isConnectionLost(error) || busyCodes.test(codeOf(error))

/** A pooler refuses `options`, which a direct connection needs. */
const adviceFor = (error: unknown): string => {
  if (codeOf(error) === 'CERT_HAS_EXPIRED') return 'Renew the certificate of the database server.'
  return error instanceof Error && /unsupported startup parameter/.test(error.message)
    ? 'It is a pooler: set DATABASE_DIRECT_URL to the database itself.'
    : 'Check DATABASE_URL.'
}

/** API processes and workers write even when they start. */
export const standbyProblem = (url: string): StartupError =>
  new StartupError(
    `The database at ${new URL(url).host} is a standby and cannot be written to. ` +
      'Point DATABASE_URL, and DATABASE_DIRECT_URL if it is set, to the primary.',
  )

/** One line, without the password, on why the database cannot be used. */
export function databaseProblem(error: unknown, url: string): StartupError {
  const { host, pathname } = new URL(url)
  const reason = error instanceof Error ? error.message || codeOf(error) : String(error)
  return new StartupError(
    `The database ${host}${pathname} cannot be used: ${reason.split('\n')[0]}. ${adviceFor(error)}`,
  )
}
