/**
 * Checks once, when a process starts, that its connections lead to a primary, that they have the
 * role they ask for, and that a pooler keeps the statements of a transaction together. Warns if a
 * failover could lose changes, and if the clocks of process and database differ.
 */
import sql from 'sql-template-tag'
import type { Clock } from '#platform/clock.ts'
import { AppError, StartupError } from '#platform/errors.ts'
import type { Log } from '#platform/log.ts'
import { type Db, databaseProblem, standbyProblem } from './database.ts'
import { APP_ROLE, OBSERVER_ROLE, WORKER_ROLE } from './settings.ts'

type Checked = {
  db: Db
  observerDb: Db
  log: Log
  clock: Clock
  config: { databaseUrl: string; isPooled: boolean }
}

type Standing = {
  role: string
  isStandby: boolean
  standbys: number
  isAwaited: boolean
  milliseconds: number
}

/** Tokens, challenges and deadlines are compared with both clocks. */
const CLOCK_TOLERANCE_MS = 5_000

/**
 * Two statements that depend on each other, because a pooler in statement mode refuses the second.
 */
const standingOf = (db: Db): Promise<Standing | undefined> =>
  db.transaction({}, async (tx) => {
    await tx.query(sql`select`)
    const [row] = await tx.query<Standing>(sql`
      select current_user as role, pg_is_in_recovery() as "isStandby",
        (extract(epoch from clock_timestamp()) * 1000)::float8 as milliseconds,
        (select count(*) from pg_stat_replication) as standbys,
        current_setting('synchronous_standby_names') <> ''
          and current_setting('synchronous_commit') not in ('off', 'local') as "isAwaited"`)
    return row
  })

const WITHOUT_ROLE =
  'DATABASE_URL leads to a pooler that ignores the settings of connections. ' +
  'Set DATABASE_DIRECT_URL to the database itself.'

const reasonOf = (error: unknown): unknown =>
  error instanceof AppError ? (error.cause ?? error) : error

/** A login may be allowed to act as the application alone. */
function withoutObserver(error: unknown): undefined {
  const { code } = Object(reasonOf(error)) as { code?: unknown }
  if (code !== '42501') throw error
}

function problemOf(error: unknown, url: string): StartupError {
  const reason = reasonOf(error)
  const message = reason instanceof Error ? reason.message : ''
  if (/statement pooling/i.test(message)) {
    const { host } = new URL(url)
    return new StartupError(
      `The pooler at ${host} is in statement mode, which cannot keep a transaction together. ` +
        'Set pool_mode = transaction.',
    )
  }
  return databaseProblem(reason, url)
}

/** How far the database's clock, read between these two moments, was certainly ahead of ours. */
function aheadBy(milliseconds: number, asked: Date, answered: Date): number {
  const early = milliseconds - asked.getTime()
  const late = milliseconds - answered.getTime()
  return late > 0 ? late : Math.min(early, 0)
}

function warnOfClocks(log: Log, ahead: number): void {
  if (Math.abs(ahead) <= CLOCK_TOLERANCE_MS) return
  const seconds = Math.round(Math.abs(ahead) / 1_000)
  log.warn(
    `The database's clock is ${seconds} s ${ahead > 0 ? 'ahead of' : 'behind'} the clock here. ` +
      'Synchronise them: some deadlines use one clock, some the other.',
  )
}

export async function checkDatabase(ctx: Checked): Promise<void> {
  const { db, observerDb, log, clock, config } = ctx
  const asked = clock.now()
  const [own, observer] = await Promise.all([
    standingOf(db),
    standingOf(observerDb).catch(withoutObserver),
  ]).catch((error) => {
    throw problemOf(error, config.databaseUrl)
  })
  const answered = clock.now()
  const isOther = observer !== undefined && observer.role !== OBSERVER_ROLE
  if (!own || ![APP_ROLE, WORKER_ROLE].includes(own.role) || isOther) {
    throw new StartupError(WITHOUT_ROLE)
  }
  if (own.isStandby) throw standbyProblem(config.databaseUrl)
  if (!observer) {
    log.warn(`The login may not act as ${OBSERVER_ROLE}, so administrators can read nothing.`)
  }
  warnOfClocks(log, aheadBy(own.milliseconds, asked, answered))
  if (own.standbys > 0 && !own.isAwaited) {
    log.warn(
      'The database has standbys, but commits do not wait for one: a failover can lose ' +
        'acknowledged changes. Set synchronous_standby_names (in Patroni: synchronous_mode).',
    )
  }
}
