import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'

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
}

describe('for a database distributed over several servers', () => {
  let database: TestDatabase

  beforeAll(async () => {
    database = await createTestDatabase()
  })
  afterAll(() => database.drop())

  test('every tenant table has a key that starts with the organization', async () => {
    expect(await database.asOwner(distribution.keyless)).toEqual([])
  })

  test('every reference between tenant tables includes the organization', async () => {
    expect(await database.asOwner(distribution.crossing)).toEqual([])
    await database.asOwner(`create table careless (organization_id uuid not null, run_id uuid
      references agent_runs (id))`)
    expect(await database.asOwner(distribution.keyless)).toEqual([{ name: 'careless' }])
    expect(await database.asOwner(distribution.crossing)).toHaveLength(1)
  })
})
