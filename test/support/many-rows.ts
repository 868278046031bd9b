/** Thousands of rows: their foreign keys are checked together afterwards, not row by row. */
import sql, { raw } from 'sql-template-tag'
import type { Tx } from '#platform/database/database.ts'
import type { TestDatabase } from './database.ts'

type Key = { name: string; table: string; definition: string }

const keysOf = ({ asOwner }: TestDatabase, tables: readonly string[]): Promise<Key[]> =>
  asOwner<Key>(
    `select quote_ident(conname) as name, conrelid::regclass::text as table,
       pg_get_constraintdef(oid) as definition
     from pg_constraint
     where contype = 'f' and conrelid = any(select unnest($1::text[])::regclass)`,
    [tables],
  )

/** The row security of the tables must be lifted: the owner checks the keys. */
export async function writeMany(
  database: TestDatabase,
  tables: readonly string[],
  write: () => Promise<void>,
): Promise<void> {
  const keys = await keysOf(database, tables)
  const change = (how: (key: Key) => string) => database.asOwner(keys.map(how).join(';'))
  await change(({ table, name }) => `alter table ${table} drop constraint ${name}`)
  await write()
  await change(
    ({ table, name, definition }) => `alter table ${table} add constraint ${name} ${definition}`,
  )
}

/**
 * For plans that do not change from run to run. Vacuum marks a page as visible to everybody only
 * after its commits were written, which the tests' PostgreSQL does not wait for: a commit that
 * waits comes first.
 */
export async function vacuum(
  run: (text: string) => Promise<unknown>,
  tables: readonly string[],
): Promise<void> {
  await run(`begin; set local synchronous_commit = on; analyze ${tables[0]}; commit`)
  await run(`vacuum analyze ${tables.join(', ')}`)
}

type Node = { 'Actual Rows'?: number; 'Actual Loops'?: number; Plans?: Node[] }

const rowsOf = (node: Node): number =>
  (node['Actual Rows'] ?? 0) * (node['Actual Loops'] ?? 1) +
  (node.Plans ?? []).reduce((sum, part) => sum + rowsOf(part), 0)

/** How many rows all steps of the statements' plans return together. */
export async function rowsTouched(tx: Tx, work: (tx: Tx) => Promise<unknown>): Promise<number> {
  let rows = 0
  await work({
    ...tx,
    query: async (statement) => {
      const explained = sql`${raw('explain (analyze, format json) ')}${statement}`
      const [row] = await tx.query<{ 'QUERY PLAN': { Plan: Node }[] }>(explained)
      for (const { Plan } of row?.['QUERY PLAN'] ?? []) rows += rowsOf(Plan)
      return tx.query(statement)
    },
  })
  return rows
}
