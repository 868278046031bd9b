import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

const hex = (digits: number) => `0x${'a7'.repeat(digits / 2)}`

const wrongForms = (isAddress: boolean): string[] => {
  const good = hex(isAddress ? 40 : 64)
  return [
    hex(isAddress ? 64 : 40),
    good.toUpperCase(),
    good.slice(2),
    `${good}0`,
    good.slice(0, -1),
    `${good.slice(0, -1)}g`,
    `${good.slice(0, -1)}\n`,
    `x${good.slice(1)}`,
  ]
}

test('the checks of addresses and hashes accept exact lengths in lower case', async () => {
  const checks = await database.asOwner<{ name: string; column: string; rule: string }>(
    `select c.conname as name, a.attname as column, pg_get_expr(c.conbin, c.conrelid) as rule
     from pg_constraint c join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
     where c.conname like '%\\_form' and c.convalidated`,
  )
  expect(checks).toHaveLength(11)
  for (const { name, column, rule } of checks) {
    const isAddress = column.endsWith('address')
    const good = hex(isAddress ? 40 : 64)
    const rows = await database.asOwner<{ value: string }>(
      `select ${column} as value from unnest($1::text[]) as t(${column}) where ${rule}`,
      [[good, ...wrongForms(isAddress)]],
    )
    expect([name, rows.map(({ value }) => value)]).toEqual([name, [good]])
  }
})

type Row = Record<string, unknown>

/** The rows that the check of the table refuses; null fields pass. */
async function refused(check: string, good: Row, changes: readonly Row[]): Promise<Row[]> {
  const named = Object.keys(good).map((name, n) => `${name} => $${n + 1}`)
  const isRefused = async (row: Row) => {
    const [answer] = await database.asOwner<{ valid: boolean | null }>(
      `select ${check}(${named}) as valid`,
      Object.values(row),
    )
    return answer?.valid === false
  }
  expect(await isRefused(good)).toBe(false)
  const found: Row[] = []
  for (const change of changes) if (await isRefused({ ...good, ...change })) found.push(change)
  return found
}

test('the check of a revision refuses each field that is wrong', async () => {
  const good = {
    revision: 1,
    amount: '1',
    requested_mode: 'approved',
    purpose: 'a',
    reason: null,
    recipient_address: hex(40),
    version_hash: hex(64),
    category: null,
    category_name: null,
    reference: null,
    reference_key: null,
    attachment_count: 0,
  }
  const wrong = [
    { revision: 0 },
    { amount: '0' },
    { requested_mode: 'other' },
    ...['', 'a'.repeat(2001)].map((purpose) => ({ purpose })),
    ...['', 'a'.repeat(1001)].map((reason) => ({ reason })),
    ...wrongForms(true).map((recipient_address) => ({ recipient_address })),
    ...wrongForms(false).map((version_hash) => ({ version_hash })),
    { category: 'a' },
    { category_name: 'a' },
    ...['', 'a'.repeat(41)].map((category) => ({ category, category_name: 'a' })),
    ...['', 'a'.repeat(101)].map((category_name) => ({ category: 'a', category_name })),
    ...['', 'a'.repeat(101)].map((reference) => ({ reference })),
    { reference_key: Buffer.alloc(31) },
    ...[-1, 11].map((attachment_count) => ({ attachment_count })),
  ]
  const right = [
    { purpose: 'a'.repeat(2000), reason: 'a'.repeat(1000), requested_mode: 'automatic' },
    { category: 'a'.repeat(40), category_name: 'a'.repeat(100), reference: 'a'.repeat(100) },
    { reference_key: Buffer.alloc(32), attachment_count: 10 },
  ]
  expect(await refused('is_valid_revision', good, [...wrong, ...right])).toEqual(wrong)
})

test('the check of an expense refuses unknown states and a block without a code', async () => {
  const good = { state: 'draft', block_code: null, current_revision: 1 }
  const wrong = [
    { state: 'other' },
    { state: 'blocked' },
    { block_code: 'a' },
    { current_revision: 0 },
  ]
  const right = [{ state: 'blocked', block_code: 'a' }, { state: 'cancelled' }]
  expect(await refused('is_valid_expense', good, [...wrong, ...right])).toEqual(wrong)
})

test('the check of a live event refuses unknown words and long ones', async () => {
  const good = { audience: 'both', severity: 'healthy', target_state: null, code: null }
  const wrong = [
    { audience: 'other' },
    { severity: 'other' },
    { target_state: 'a'.repeat(81) },
    { code: 'a'.repeat(101) },
  ]
  const right = [{ target_state: 'a'.repeat(80), code: 'a'.repeat(100), audience: 'admin' }]
  expect(await refused('is_valid_live_event', good, [...wrong, ...right])).toEqual(wrong)
})
