/** Reads everything in the database, past row-level security, to see whether anything changed. */
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
export async function createDump(database: TestDatabase): Promise<() => Promise<Dump>> {
  const tables = await listTables(database)
  for (const { name } of tables.filter(({ name }) => name.startsWith('countersign.'))) {
    await database.asOwner(`alter table ${name} no force row level security`)
  }
  return () => readAll(database, tables)
}
