/** Everything the database holds, past row-level security, to see whether anything changed. */
import type { TestDatabase } from '#test/support/database.ts'

type Tables = { name: string }[]

const listTables = (database: TestDatabase) =>
  database.asOwner<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
     where schemaname in ('countersign', 'graphile_worker') order by 1`,
  )

async function readAll(database: TestDatabase, tables: Tables): Promise<Record<string, string[]>> {
  const dump: Record<string, string[]> = {}
  for (const { name } of tables) {
    const rows = await database.asOwner<{ row: string }>(
      `select to_jsonb(t)::text as row from ${name} t order by 1`,
    )
    dump[name] = rows.map(({ row }) => row)
  }
  return dump
}

export type Dump = Record<string, string[]>

/**
 * Lifts the force from the owner alone, in this test's own database: the application's role stays
 * under every policy.
 */
export async function createDump(database: TestDatabase): Promise<() => Promise<Dump>> {
  const tables = await listTables(database)
  for (const { name } of tables.filter(({ name }) => name.startsWith('countersign.'))) {
    await database.asOwner(`alter table ${name} no force row level security`)
  }
  return () => readAll(database, tables)
}
