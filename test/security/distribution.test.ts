import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { readSource } from '#test/tidy/source.ts'
import { alsoTenants, tenantless } from './tenant-tables.ts'

/** Tenant tables and their unique keys; references whose key lacks the tenant. */
const distribution = {
  keyless: `
    select c.relname as name from pg_class c
    where c.relnamespace = 'countersign'::regnamespace and c.relkind in ('r', 'p')
      and exists (select from pg_attribute a where a.attrelid = c.oid
        and a.attname = 'organization_id' and a.attnotnull)
      and not exists (
        select from pg_index i join pg_attribute a on a.attrelid = c.oid and a.attnum = i.indkey[0]
        where i.indrelid = c.oid and i.indisunique and i.indpred is null
          and a.attname = 'organization_id')`,
  crossing: `
    select k.conname as name from pg_constraint k
    where k.contype = 'f' and k.connamespace = 'countersign'::regnamespace
      and not exists (select from pg_attribute a where a.attrelid = k.conrelid
        and a.attnum = any (k.conkey) and a.attname = 'organization_id')
      and exists (select from pg_attribute a where a.attrelid = k.confrelid
        and a.attname = 'organization_id' and a.attnotnull)
      and exists (select from pg_attribute a where a.attrelid = k.conrelid
        and a.attname = 'organization_id')`,
  /** Tables whose rows need not belong to an organization. */
  mixed: `
    select c.relname as name from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attname = 'organization_id'
    where c.relnamespace = 'countersign'::regnamespace and c.relkind in ('r', 'p')
      and not a.attnotnull`,
}

/** Unique keys without one of the columns, other than a single `id`. */
const keysWithout = (column: string) => `
  select c.relname as table, c.relname || ' (' || string_agg(a.attname, ', ' order by k.n) || ')'
    as name
  from pg_index i join pg_class c on c.oid = i.indrelid
    cross join unnest(i.indkey::int[]) with ordinality k (attnum, n)
    join pg_attribute a on a.attrelid = c.oid and a.attnum = k.attnum
  where c.relnamespace = 'countersign'::regnamespace and i.indisunique
  group by c.relname, i.indexrelid
  having not array_agg(a.attname::text) && array['${column}']
    and array_agg(a.attname::text) <> array['id']`

/** The rows of the two tables in docs/OPERATIONS.md, first and second cell. */
const section = /## Beyond one PostgreSQL\n([\s\S]*?)\n## /.exec(
  readSource('docs/OPERATIONS.md').text,
)?.[1]
const rows = [...(section ?? '').matchAll(/^\| ([^|]*) \| ([^|]*) \|$/gm)].map(
  ([, first = '', second = '']) => [first, second] as const,
)
const codesIn = (text: string): string[] =>
  [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code)
const rowOf = (first: string) => rows.find(([cell]) => cell === first) ?? ['', '']

describe('for a database distributed over several servers', () => {
  let database: TestDatabase

  beforeAll(async () => {
    database = await createTestDatabase()
  })
  afterAll(() => database.drop())

  test('every tenant table has a key that starts with the organization', async () => {
    expect(await database.asOwner(distribution.keyless)).toEqual([])
  })

  test('OPERATIONS.md lists every table that is not distributed by organization_id', async () => {
    const mixed = await database.asOwner<{ name: string }>(distribution.mixed)
    const known = [...mixed.map(({ name }) => name), ...alsoTenants, ...tenantless]
    expect(rows.flatMap(([first]) => codesIn(first)).sort()).toEqual(known.sort())
  })

  test('OPERATIONS.md lists every unique key without the distribution key', async () => {
    type Key = { table: string; name: string }
    const other = new Set([...alsoTenants, ...tenantless])
    const ofOrganization = (await database.asOwner<Key>(keysWithout('organization_id')))
      .filter(({ table }) => !other.has(table))
      .map(({ name }) => name)
    expect(codesIn(rowOf('organization')[1]).sort()).toEqual(ofOrganization.sort())
    const accounts =
      rows.map(([cell]) => codesIn(cell)).find((codes) => codes.includes('accounts')) ?? []
    const ofAccount = (await database.asOwner<Key>(keysWithout('account_id')))
      .filter(({ table }) => accounts.includes(table))
      .map(({ name }) => name)
    expect(codesIn(rowOf('account')[1]).sort()).toEqual(ofAccount.sort())
  })

  test('every reference between tenant tables includes the organization', async () => {
    expect(await database.asOwner(distribution.crossing)).toEqual([])
    await database.asOwner(`create table careless (organization_id uuid not null, run_id uuid
      references agent_runs (id))`)
    expect(await database.asOwner(distribution.keyless)).toEqual([{ name: 'careless' }])
    expect(await database.asOwner(distribution.crossing)).toHaveLength(1)
  })
})
