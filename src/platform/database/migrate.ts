/**
 * Applies `migrations/*.sql` in order, each in its own transaction, under one advisory lock: any
 * number of processes may start at once. Forward only; an applied file must never change. The
 * previous version keeps serving, so a migration waits only briefly for locks.
 */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type pg from 'pg'
import sql from 'sql-template-tag'
import { type Environment, readDirectUrl, readEnvironment } from '#platform/config/config.ts'
import { sha256 } from '#platform/digest.ts'
import { StartupError } from '#platform/errors.ts'
import { runCommand } from '#platform/terminal.ts'
import {
  databaseProblem,
  isLockTimeout,
  isPermissionDenied,
  openOwnerPool,
  standbyProblem,
} from './database.ts'
import { SCHEMA } from './settings.ts'

type Migration = { name: string; text: string; checksum: string }

const FOLDER = join(import.meta.dirname, '..', '..', '..', 'migrations')
const ADVISORY_LOCK = 4_017_551_327
/** The queue's tables are recorded as one step, so an up-to-date database needs no owner. */
const JOB_QUEUE_STEP = 'graphile-worker-0.18'
const OLDEST_POSTGRES = 150_000
/** Statements queue up behind a lock that is waited for, so give up early and retry. */
const LOCK_TIMEOUT_MS = 1_000
const LOCK_TRIES = 60
const LOCK_PAUSE_MS = 500
/** First line of a file that builds indexes concurrently or backfills in batches. */
const OUTSIDE = '-- outside a transaction\n'

async function readMigrations(folder: string): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(join(folder, name), 'utf8')
      return { name, text, checksum: sha256(text).toString('hex') }
    }),
  )
}

async function readApplied(client: pg.ClientBase): Promise<Map<string, string>> {
  const exists = await client.query(sql`select to_regclass('countersign.migrations') as found`)
  if (exists.rows[0]?.found === null) return new Map()
  const applied = await client.query(sql`select name, checksum from countersign.migrations`)
  return new Map(applied.rows.map((row) => [row.name, row.checksum]))
}

function refuseChanged(migrations: Migration[], applied: Map<string, string>): void {
  const changed = migrations.find(
    ({ name, checksum }) => applied.has(name) && applied.get(name) !== checksum,
  )
  if (changed) {
    throw new StartupError(
      `Migration ${changed.name} was changed after it was applied. Restore it and add a new one.`,
    )
  }
}

const record = ({ name, checksum }: Migration) =>
  sql`insert into countersign.migrations (name, checksum) values (${name}, ${checksum})`

async function apply(client: pg.ClientBase, migration: Migration): Promise<void> {
  for (let tried = 1; ; tried += 1) {
    try {
      return migration.text.startsWith(OUTSIDE)
        ? await applyOutside(client, migration)
        : await applyOnce(client, migration)
    } catch (error) {
      if (!isLockTimeout(error)) throw error
      if (tried >= LOCK_TRIES) {
        throw new StartupError(
          `Migration ${migration.name} got no lock: long transactions block it. Try again.`,
        )
      }
      await wait(LOCK_PAUSE_MS)
    }
  }
}

async function applyOnce(client: pg.ClientBase, migration: Migration): Promise<void> {
  await client.query('begin')
  try {
    // Row-level security applies to the owner too: a backfill must fail, not skip hidden rows.
    await client.query('set local row_security = off')
    await client.query(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`)
    await client.query(migration.text)
    await client.query(record(migration))
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw error
  }
}

/** Runs each statement by itself; each must be idempotent, in case of a crash. */
async function applyOutside(client: pg.ClientBase, migration: Migration): Promise<void> {
  await client.query('set row_security = off')
  try {
    for (const statement of migration.text.split(/;\s*$/m)) {
      if (statement.trim() !== '') await client.query(statement)
    }
    await client.query(record(migration))
  } finally {
    await client.query('reset row_security')
  }
}

async function prepareSchema(client: pg.ClientBase): Promise<void> {
  await client.query(`
    create schema if not exists ${SCHEMA};
    create table if not exists ${SCHEMA}.migrations (
      name text primary key, checksum text not null, applied_at timestamptz not null default now()
    )`)
}

async function requireVersion(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query(sql`select current_setting('server_version_num')::int as v`)
  if (rows[0].v < OLDEST_POSTGRES) {
    throw new StartupError('PostgreSQL 15 or later is needed; this server is older.')
  }
}

async function requirePrimary(client: pg.ClientBase, url: string): Promise<void> {
  const { rows } = await client.query(sql`select pg_is_in_recovery() as "isStandby"`)
  if (rows[0].isStandby) throw standbyProblem(url)
}

/** Migrations to apply; `all` if the job queue's tables are missing too. */
async function listPending(client: pg.ClientBase, folder: string): Promise<Migration[] | 'all'> {
  await requireVersion(client)
  const migrations = await readMigrations(folder)
  const applied = await readApplied(client)
  refuseChanged(migrations, applied)
  if (!applied.has(JOB_QUEUE_STEP)) return 'all'
  return migrations.filter(({ name }) => !applied.has(name))
}

async function migrateLocked(
  pool: pg.Pool,
  client: pg.ClientBase,
  folder: string,
): Promise<string[]> {
  if ((await listPending(client, folder)).length === 0) return []
  await client.query(sql`select pg_advisory_lock(${ADVISORY_LOCK})`)
  try {
    await prepareSchema(client)
    const applied = await readApplied(client)
    if (!applied.has(JOB_QUEUE_STEP)) {
      // Loaded only here, because most starts have nothing to apply.
      const { runMigrations } = await import('graphile-worker')
      await runMigrations({ pgPool: pool })
      await client.query(
        sql`insert into countersign.migrations (name, checksum) values (${JOB_QUEUE_STEP}, '')`,
      )
    }
    const pending = (await readMigrations(folder)).filter(({ name }) => !applied.has(name))
    for (const migration of pending) await apply(client, migration)
    return pending.map(({ name }) => name)
  } finally {
    await client.query(sql`select pg_advisory_unlock(${ADVISORY_LOCK})`)
  }
}

async function withOwner<T>(
  url: string,
  work: (pool: pg.Pool, client: pg.ClientBase) => Promise<T>,
): Promise<T> {
  const pool = openOwnerPool({ url, max: 3 })
  try {
    const client = await pool.connect()
    try {
      return await work(pool, client)
    } finally {
      client.release(true)
    }
  } catch (error) {
    if (error instanceof StartupError) throw error
    throw isPermissionDenied(error) ? notCurrent() : databaseProblem(error, url)
  } finally {
    await pool.end()
  }
}

const notCurrent = () =>
  new StartupError(
    'The database is not up to date, and this login or command may not change its schema. ' +
      "Run npm run migrate with the owner's DATABASE_URL.",
  )

/** Migrates to this version's schema and returns the names of the applied migrations. */
export const migrate = ({
  url,
  folder = FOLDER,
}: {
  url: string
  folder?: string
}): Promise<string[]> =>
  withOwner(url, async (pool, client) => {
    await requirePrimary(client, url)
    return migrateLocked(pool, client, folder)
  })

/** For commands, which must not change the schema of a running deployment. */
export const requireMigrated = ({ url }: { url: string }): Promise<void> =>
  withOwner(url, async (_pool, client) => {
    if ((await listPending(client, FOLDER)).length > 0) throw notCurrent()
  })

async function main(env: Environment): Promise<string> {
  const applied = await migrate({ url: readDirectUrl(env) })
  return applied.length === 0 ? 'The database is up to date.' : `Applied ${applied.join(', ')}.`
}

if (import.meta.main) await runCommand(() => main(readEnvironment()))
