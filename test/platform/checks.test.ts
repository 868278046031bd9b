import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

const hex = (digits: number) => `0x${'a7'.repeat(digits / 2)}`

test('the checks of addresses and hashes accept exact lengths in lower case', async () => {
  const checks = await database.asOwner<{ name: string; column: string; rule: string }>(
    `select c.conname as name, a.attname as column, pg_get_expr(c.conbin, c.conrelid) as rule
     from pg_constraint c join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
     where c.conname like '%\\_form' and c.convalidated`,
  )
  expect(checks).toHaveLength(13)
  for (const { name, column, rule } of checks) {
    const isAddress = column.endsWith('address')
    const good = hex(isAddress ? 40 : 64)
    const bad = [
      hex(isAddress ? 64 : 40),
      good.toUpperCase(),
      good.slice(2),
      `${good}0`,
      good.slice(0, -1),
      `${good.slice(0, -1)}g`,
      `${good.slice(0, -1)}\n`,
      `x${good.slice(1)}`,
    ]
    const rows = await database.asOwner<{ value: string }>(
      `select ${column} as value from unnest($1::text[]) as t(${column}) where ${rule}`,
      [[good, ...bad]],
    )
    expect([name, rows.map(({ value }) => value)]).toEqual([name, [good]])
  }
})
