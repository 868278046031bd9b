/** Reads everything in the database, past row-level security. */
import { expect } from 'vitest'
import type { TestDatabase } from '#test/support/database.ts'

type Tables = { name: string }[]

/** Workers write heartbeats to this table at any time. */
const listTables = (database: TestDatabase) =>
  database.asOwner<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
     where schemaname in ('countersign', 'graphile_worker')
       and tablename <> 'worker_processes' order by 1`,
  )

/** One statement: a round trip for each table would take most of a test's time. */
async function readAll(database: TestDatabase, tables: Tables): Promise<Record<string, string[]>> {
  const parts = tables.map(({ name }) => `select '${name}', to_jsonb(t)::text from ${name} t`)
  const rows = await database.asOwner<{ name: string; row: string }>(
    `select * from (${parts.join(' union all ')}) as all_of_it (name, row) order by 1, 2`,
  )
  const dump: Dump = Object.fromEntries(tables.map(({ name }) => [name, []]))
  for (const { name, row } of rows) dump[name]?.push(row)
  return dump
}

export type Dump = Record<string, string[]>

/**
 * Lifts forced row-level security for the owner, in this test's own database; the application's
 * role stays under every policy.
 */
async function openTables(database: TestDatabase): Promise<Tables> {
  const tables = await listTables(database)
  for (const { name } of tables.filter(({ name }) => name.startsWith('countersign.'))) {
    await database.asOwner(`alter table ${name} no force row level security`)
  }
  return tables
}

/** Every row of every table, as text. */
export async function createDump(database: TestDatabase): Promise<() => Promise<Dump>> {
  const tables = await openTables(database)
  return () => readAll(database, tables)
}

/** By table, the number of its rows and a sum of their hashes. */
export type Fingerprint = Record<string, string>

/** Of requests and streams; every request changes them. */
export const COUNTERS = ['countersign.rate_leases', 'countersign.open_streams']

/** To see whether anything changed, without reading it all. */
export async function createFingerprint(
  database: TestDatabase,
): Promise<() => Promise<Fingerprint>> {
  const tables = await openTables(database)
  const kept = tables.filter(({ name }) => !COUNTERS.includes(name))
  const parts = kept.map(
    ({ name }) => `select '${name}' as name,
      count(*) || ' rows, ' || coalesce(sum(hashtextextended(t::text, 0)), 0) as sum
      from ${name} t`,
  )
  const text = parts.join(' union all ')
  return async () => {
    // Planning a query of all tables takes longer than running it.
    const query = { name: 'fingerprint', text }
    const rows = await database.asOwner<{ name: string; sum: string }>(query)
    return Object.fromEntries(rows.map(({ name, sum }) => [name, sum]))
  }
}

/** Each call expects that nothing has changed since the last one. */
export async function createUnchanged(database: TestDatabase): Promise<() => Promise<void>> {
  const fingerprint = await createFingerprint(database)
  let last = await fingerprint()
  return async () => {
    const before = last
    last = await fingerprint()
    expect(last).toEqual(before)
  }
}
