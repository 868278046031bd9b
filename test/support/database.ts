/** A database for a test file: a clone of the migrated template, dropped afterwards. */
import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'
import { TEMPLATE } from './postgres.ts'

export type TestDatabase = {
  url: string
  /** Runs as the schema's owner, past row-level security where a policy for the owner exists. */
  asOwner<Row extends object = Record<string, unknown>>(
    /** With a name, PostgreSQL plans the statement once for each connection. */
    text: string | { name: string; text: string },
    values?: unknown[],
  ): Promise<Row[]>
  drop(): Promise<void>
}

/** By TCP instead of the socket: for other processes, and for proxies in front of the database. */
export function overTcp(url: string): URL {
  const changed = new URL(url)
  changed.searchParams.delete('host')
  return changed
}

async function onServer(...texts: string[]): Promise<void> {
  const client = new pg.Client(inject('postgresUrl'))
  await client.connect()
  try {
    for (const text of texts) await client.query(text)
  } finally {
    await client.end()
  }
}

type DatabaseNeeds = {
  migrated?: boolean
  /** False: statements are planned once per connection, and not for the values of each of the
   * first runs. That takes a sixth of the server's time in a test with few rows. */
  plansByValues?: boolean
}

export async function createTestDatabase({
  migrated = true,
  plansByValues = true,
}: DatabaseNeeds = {}): Promise<TestDatabase> {
  const name = `test_${randomBytes(8).toString('hex')}`
  // Copies files: the default strategy writes every page of the template to the log.
  const from = migrated ? ` template ${TEMPLATE} strategy file_copy` : ''
  const plans = `alter database ${name} set plan_cache_mode = force_generic_plan`
  await onServer(`create database ${name}${from}`, ...(plansByValues ? [] : [plans]))
  const url = new URL(inject('postgresUrl'))
  url.pathname = name
  const pool = new pg.Pool({
    connectionString: url.href,
    max: 2,
    options: '-c search_path=countersign',
  })
  pool.on('error', () => {})
  return {
    url: url.href,
    async asOwner(text, values) {
      const query = typeof text === 'string' ? { text } : text
      return (await pool.query({ ...query, ...(values && { values }) })).rows
    },
    async drop() {
      if (!pool.ended) await pool.end()
      await onServer(`drop database if exists ${name} with (force)`)
    },
  }
}
