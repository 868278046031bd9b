/**
 * Checks once, when a process starts, that its connections have the role they ask for, and that a
 * pooler keeps the statements of a transaction together. Warns if a failover could lose changes.
 */
import sql from 'sql-template-tag'
import { AppError, StartupError } from '#platform/errors.ts'
import type { Log } from '#platform/log.ts'
import { type Db, databaseProblem } from './database.ts'
import { APP_ROLE, OBSERVER_ROLE, WORKER_ROLE } from './settings.ts'

type Checked = {
  db: Db
  observerDb: Db
  log: Log
  config: { databaseUrl: string; isPooled: boolean }
}

type Standing = { role: string; standbys: number; isAwaited: boolean }

/**
 * Two statements that depend on each other, because a pooler in statement mode refuses the second.
 */
const standingOf = (db: Db): Promise<Standing | undefined> =>
  db.transaction({}, async (tx) => {
    await tx.query(sql`select`)
    const [row] = await tx.query<Standing>(sql`
      select current_user as role,
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

export async function checkDatabase({ db, observerDb, log, config }: Checked): Promise<void> {
  const [own, observer] = await Promise.all([
    standingOf(db),
    standingOf(observerDb).catch(withoutObserver),
  ]).catch((error) => {
    throw problemOf(error, config.databaseUrl)
  })
  const isOther = observer !== undefined && observer.role !== OBSERVER_ROLE
  if (!own || ![APP_ROLE, WORKER_ROLE].includes(own.role) || isOther) {
    throw new StartupError(WITHOUT_ROLE)
  }
  if (!observer) {
    log.warn(`The login may not act as ${OBSERVER_ROLE}, so administrators can read nothing.`)
  }
  if (own.standbys > 0 && !own.isAwaited) {
    log.warn(
      'The database has standbys, but commits do not wait for one: a failover can lose ' +
        'acknowledged changes. Set synchronous_standby_names (in Patroni: synchronous_mode).',
    )
  }
}
