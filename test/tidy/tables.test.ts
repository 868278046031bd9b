import { describe, expect, test } from 'vitest'
import { ownerProblems, tableProblems } from './tables.ts'

const owners = { payments: 'payments', vaults: 'treasury' }
const store = (path: string, statement: string) => [{ path, text: `const a = sql\`${statement}\`` }]
const PAYMENTS = 'src/payments/lane-store/lane.store.ts'

describe('a store', () => {
  test.each([
    'insert into vaults (id) values ($1)',
    'update vaults as v set label = $1',
    'with gone as (delete from vaults returning id) select id from gone',
    'truncate vaults',
  ])("may not write another module's table: %s", (statement) => {
    const reads = [{ module: 'payments', tables: ['vaults'], reason: 'it joins them' }]
    const problems = tableProblems(store(PAYMENTS, statement), { owners, reads })
    expect(problems[0]).toBe(`${PAYMENTS}:1 writes vaults, which belongs to treasury`)
  })

  test.each([
    'select id from vaults',
    'select p.id from payments p left join vaults v on v.id = p.vault_id',
    'update payments p set state = v.state from vaults v where v.id = p.vault_id',
  ])("may not read another module's table without a reason: %s", (statement) => {
    const files = store(PAYMENTS, statement)
    expect(tableProblems(files, { owners, reads: [] })).toEqual([
      `${PAYMENTS}:1 reads vaults, which belongs to treasury`,
    ])
    const reads = [{ module: 'payments', tables: ['vaults'], reason: 'it joins them' }]
    expect(tableProblems(files, { owners, reads })).toEqual([])
  })

  test('reads and writes the tables of its own module, and names that are no table', () => {
    const text = 'update payments set x = 1 from unnest(a) as n where n.x = 1 for update'
    expect(tableProblems(store(PAYMENTS, text), { owners, reads: [] })).toEqual([])
  })

  test('has no exception that it does not need', () => {
    const reads = [{ module: 'payments', tables: ['vaults'], reason: 'it joined them once' }]
    expect(tableProblems(store(PAYMENTS, 'select id from payments'), { owners, reads })).toEqual([
      'payments needs no exception to read vaults',
    ])
  })
})

test('every table of the migrations has an owner, and nothing else has one', () => {
  const sql = 'create table payments (\n);\ncreate view live as select 1;\ncreate table old (\n);'
  const migrations = [
    { path: 'migrations/0001_a.sql', text: sql },
    { path: 'migrations/0002_b.sql', text: 'drop table old;' },
  ]
  expect(ownerProblems(migrations, owners)).toEqual(['live has no owner', 'vaults is no table'])
})
