/**
 * Query plans of filtered lists in a large organization beside another one. Plans are asserted, not
 * durations. `FILTER_PLANS_ROWS` sets another size.
 */
import sql, { raw, type Sql } from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expenseMachine } from '#expenses/expense.machine.ts'
import type { ExpenseFilter } from '#expenses/expense-filter.ts'
import {
  countByState,
  findSearchWords,
  listExpensesById,
  listMatchingIds,
} from '#expenses/lists.store.ts'
import { listActivity, listPaymentIds } from '#payments/activity.store.ts'
import type { ActivityFilter } from '#payments/activity-filter.ts'
import type { Tx } from '#platform/database/database.ts'
import { statesOf } from '#platform/machine.ts'
import { LAST_ID } from '#platform/paging.ts'
import { startTestApp, type TestApp } from '#test/support/app.ts'
import { type ExpenseHouse, openExpenseHouse } from '#test/support/expenses.ts'
import { vacuum, writeMany } from '#test/support/many-rows.ts'
import { addRecipient, indexRevisions, liftOwnersRowSecurity } from '#test/support/steps.ts'

const MANY = Number(process.env.FILTER_PLANS_ROWS ?? 6_000)
const LIMIT = 100
const STATES = statesOf(expenseMachine)
/** The first step reads 500 rows of up to three tables; a rare match and its page come on top. */
const TOUCHED_MAX = 2_500
const TABLES = [
  ...['expenses', 'expense_revisions', 'expense_words'],
  ...['agent_runs', 'reports', 'payments', 'payment_receipts'],
]

let service: TestApp
let house: ExpenseHouse
let rareRecipientId: string

beforeAll(async () => {
  service = await startTestApp({ plansByValues: true })
  house = await openExpenseHouse(service)
  const neighbour = await openExpenseHouse(service)
  await liftOwnersRowSecurity(service.database)
  rareRecipientId = (await addRecipient(service, house.organization)).body.id
  // What is rare here is frequent next door: statistics cover both.
  await writeMany(service.database, TABLES, async () => {
    await write(house, { of: 0, rare: 1_000, rareRecipientId })
    await write(neighbour, { of: 1, rare: 2, rareRecipientId: neighbour.recipientId })
    await indexRevisions(service.database)
  })
  await vacuum(service.database.asOwner, TABLES)
}, 590_000)
afterAll(() => service.stop())

const idAt = (kind: string, of: number) =>
  `('01900000-${kind}-7000-8000-' || lpad(to_hex(n * 2 + ${of}), 12, '0'))::uuid`

type Shape = { of: number; rare: number; rareRecipientId: string }

/**
 * Every `rare`-th expense is blocked, has a category, another recipient, its own word and amount,
 * and is a year older; all of them are in the older half.
 */
async function write(home: ExpenseHouse, { of, rare, ...shape }: Shape): Promise<void> {
  const { organization, manager, employee, vaultId, recipientId, recipientAddress } = home
  const { asOwner } = service.database
  const expense = idAt('000e', of)
  const isRare = `(n % ${rare} = 0 and n <= ${MANY / 2})`
  const rows = `from generate_series(1, ${MANY}) n`
  const at = `now() - case when ${isRare} then interval '400 days' else interval '1 day' end`
  await asOwner(
    `insert into expenses (id, organization_id, submitter_account_id, payment_id,
       current_revision, state, block_code, created_at, updated_at)
     select ${expense}, $1, case when n % 100 = 0 then $2::uuid else $3::uuid end,
       ${idAt('000f', of)}, 1, case when ${isRare} then 'blocked' else 'paid' end,
       case when ${isRare} then 'analysis_failed' end, ${at}, ${at} ${rows}`,
    [organization.id, employee.accountId, manager.accountId],
  )
  await asOwner(
    `insert into expense_revisions (organization_id, expense_id, revision, vault_id, recipient_id,
       recipient_label, recipient_address, amount, requested_mode, purpose, purpose_key,
       version_hash, author_account_id, created_at, category, category_name, reference)
     select $1, ${expense}, 1, $2, case when ${isRare} then $6::uuid else $3::uuid end, 'Acme', $4,
       case when ${isRare} then 5000000 + n else n end, 'approved',
       'Invoice for the translation of chapter ' || case when ${isRare} then 'zeppelin' else '' end,
       sha256(n::text::bytea), '0x' || repeat('a', 64), $5, ${at},
       case when ${isRare} then 'travel' end, case when ${isRare} then 'Travel' end,
       'INV-' || n ${rows}`,
    [
      ...[organization.id, vaultId, recipientId, recipientAddress.toLowerCase()],
      ...[manager.accountId, shape.rareRecipientId],
    ],
  )
  await asOwner(
    `insert into agent_runs (id, organization_id, expense_id, expense_revision, state, created_at,
       updated_at)
     select ${idAt('000a', of)}, $1, ${expense}, 1, 'succeeded', now(), now() ${rows}`,
    [organization.id],
  )
  await asOwner(
    `insert into reports (id, organization_id, expense_id, expense_revision, run_id, version,
       report_hash, output, created_at)
     select ${idAt('000d', of)}, $1, ${expense}, 1, ${idAt('000a', of)}, 1,
       '0x' || repeat('b', 64), '{}', now() ${rows}`,
    [organization.id],
  )
  await asOwner(
    `insert into payments (id, organization_id, expense_id, expense_revision,
       expense_version_hash, vault_id, chain_payment_id, mode, recipient_address, token_address,
       amount, policy_version, report_id, report_hash, deadline, state, created_at, updated_at)
     select ${idAt('000f', of)}, $1, ${expense}, 1, '0x' || repeat('a', 64), $2,
       '0x' || lpad(to_hex(n * 2 + ${of}), 64, '0'), 'automatic', $3, $3, 1, 1,
       ${idAt('000d', of)}, '0x' || repeat('b', 64), now(),
       case when ${isRare} then 'failed' else 'confirmed' end, ${at}, ${at} ${rows}`,
    [organization.id, vaultId, recipientAddress.toLowerCase()],
  )
  await asOwner(
    `insert into payment_receipts (organization_id, payment_id, transaction_hash, block_number,
       block_hash, log_index, status, execution, confirmed_at)
     select $1, ${idAt('000f', of)}, '0x', n, '0x', 0, 'success', '{}', ${at} ${rows}`,
    [organization.id],
  )
}

type Plan = {
  'Node Type': string
  'Relation Name'?: string
  'Actual Rows'?: number
  'Actual Loops'?: number
  'Rows Removed by Filter'?: number
  'Rows Removed by Index Recheck'?: number
  Plans?: Plan[]
}

const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]

const touched = (plan: Plan): number =>
  nodesOf(plan)
    .filter((node) => node['Relation Name'])
    .reduce((sum, node) => {
      const removed =
        (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)
      return sum + ((node['Actual Rows'] ?? 0) + removed) * (node['Actual Loops'] ?? 1)
    }, 0)

/** Reads in the organization's scope, and collects every plan. */
async function explain<T>(
  read: (tx: Tx, plain: Tx) => Promise<T>,
): Promise<{ plans: Plan[]; result: T }> {
  const plans: Plan[] = []
  const { organization } = house
  const result = await service.ctx.db.transaction({ organizationId: organization.id }, (tx) =>
    read(
      {
        ...tx,
        query: async <Row extends object>(statement: Sql) => {
          const how = sql`${raw('explain (analyze, format json) ')}${statement}`
          const [row] = await tx.query<{ 'QUERY PLAN': { Plan: Plan }[] }>(how)
          const plan = row?.['QUERY PLAN'][0]?.Plan
          if (plan) plans.push(plan)
          return tx.query<Row>(statement)
        },
      },
      tx,
    ),
  )
  return { plans, result }
}

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000)

const rare = MANY / 2 / 1_000

/** The filter, and how many expenses it finds; Infinity for more than a page. */
const filters = (): Record<string, [ExpenseFilter, number]> => ({
  'a rare state': [{ states: ['blocked'] }, rare],
  'a frequent state': [{ states: ['paid'] }, Number.POSITIVE_INFINITY],
  'several states': [{ states: ['paid', 'blocked', 'draft'] }, Number.POSITIVE_INFINITY],
  'a state that nothing has': [{ states: ['reconciling'] }, 0],
  'a submitter': [{ submitterAccountId: house.employee.accountId }, MANY / 100],
  'a rare recipient': [{ recipientId: rareRecipientId }, rare],
  'a frequent recipient': [{ recipientId: house.recipientId }, Number.POSITIVE_INFINITY],
  'a vault': [{ vaultId: house.vaultId }, Number.POSITIVE_INFINITY],
  'a category': [{ category: 'travel' }, rare],
  'a category that nothing has': [{ category: 'rent' }, 0],
  'the time from yesterday on': [{ from: daysAgo(2) }, Number.POSITIVE_INFINITY],
  'the time up to a year ago': [{ before: daysAgo(365) }, rare],
  'a time without expenses': [{ from: daysAgo(300), before: daysAgo(200) }, 0],
  'great amounts': [{ minAmount: 5_000_000n }, rare],
  'small amounts': [{ maxAmount: 50n }, 50],
  'an amount that nothing has': [{ minAmount: 4_000_000n, maxAmount: 4_999_999n }, 0],
  'a frequent word': [{ q: 'translation' }, Number.POSITIVE_INFINITY],
  'a rare word': [{ q: 'zepp' }, rare],
  'a word that nothing has': [{ q: 'submarine' }, 0],
  'a reference': [{ q: `INV-${MANY - 1}` }, 1],
  'a rare state and a frequent word': [{ states: ['blocked'], q: 'invoice' }, rare],
  'a frequent state and a rare word': [{ states: ['paid'], q: 'zeppelin' }, 0],
})

const activity = (): Record<string, [ActivityFilter, number]> => ({
  everything: [{}, Number.POSITIVE_INFINITY],
  'a rare state': [{ states: ['failed'] }, rare],
  'a frequent state': [{ states: ['confirmed'] }, Number.POSITIVE_INFINITY],
  'a state that nothing has': [{ states: ['queued'] }, 0],
  'a rare recipient': [{ recipientId: rareRecipientId }, rare],
  'a frequent recipient': [{ recipientId: house.recipientId }, Number.POSITIVE_INFINITY],
  'the time up to a year ago': [{ before: daysAgo(365) }, rare],
  'a rare word': [{ q: 'zeppelin' }, rare],
  'a word that nothing has': [{ q: 'submarine' }, 0],
})

const names = (list: () => object) => {
  // The values need the house; the names do not.
  house ??= {} as ExpenseHouse
  house.employee ??= {} as ExpenseHouse['employee']
  return Object.keys(list())
}

const check = (plans: readonly Plan[]) => {
  expect(plans.length).toBeGreaterThan(0)
  for (const plan of plans) {
    // The position of the index is a table of one row.
    const scans = nodesOf(plan).filter(
      ({ 'Relation Name': table }) => table && table !== 'expense_words_position',
    )
    for (const node of scans) expect(node['Node Type']).toMatch(/Index|Bitmap Heap Scan/)
    expect(touched(plan)).toBeLessThan(TOUCHED_MAX)
  }
}

describe(`with ${MANY} expenses here and as many in another organization`, () => {
  test.each(names(filters))('expenses filtered by %s use indexes only', async (name) => {
    const [filter, count] = filters()[name] ?? [{}, 0]
    const { id: organizationId } = house.organization
    const search = { organizationId, onlyOf: null, filter, beforeId: LAST_ID, limit: LIMIT + 1 }
    const { plans, result } = await explain(async (tx, plain) => {
      const words = await findSearchWords(plain, filter.q)
      const { ids, stoppedAt } = await listMatchingIds(tx, { ...search, words })
      expect(stoppedAt).toBe(null)
      await listExpensesById(tx, { organizationId, ids })
      return ids
    })
    expect(result.length).toBe(Math.min(count, LIMIT + 1))
    expect(result).toEqual([...result].sort().reverse())
    check(plans)
  })

  test.each(names(activity))('payments filtered by %s use indexes only', async (name) => {
    const [filter, count] = activity()[name] ?? [{}, 0]
    const { id: organizationId } = house.organization
    const search = { organizationId, onlyOf: null, filter, beforeId: LAST_ID, limit: LIMIT + 1 }
    const { plans, result } = await explain(async (tx, plain) => {
      const words = await findSearchWords(plain, filter.q)
      const ids = await listPaymentIds(tx, { ...search, words })
      await listActivity(tx, { organizationId, ids })
      return ids
    })
    expect(result.length).toBe(Math.min(count, LIMIT + 1))
    check(plans)
  })

  test.each(names(filters))('counts by %s use indexes only, up to 100', async (name) => {
    const [filter, count] = filters()[name] ?? [{}, 0]
    const { id: organizationId } = house.organization
    const { plans, result } = await explain(async (tx, plain) => {
      const words = await findSearchWords(plain, filter.q)
      return countByState(tx, { organizationId, onlyOf: null, filter, words, states: STATES })
    })
    const total = result.counts.reduce((sum, counted) => sum + counted.count, 0)
    if (count < 100) expect([total, result.isComplete]).toEqual([count, true])
    else expect([total >= 100, result.isComplete]).toEqual([true, false])
    check(plans)
  })

  test('counts without a filter read up to 100 entries of one index for each state', async () => {
    const { id: organizationId } = house.organization
    const search = { organizationId, onlyOf: null, filter: {}, words: [], states: STATES }
    const { plans, result } = await explain((tx) => countByState(tx, search))
    const scans = plans.flatMap(nodesOf).filter((node) => node['Relation Name'])
    expect(scans.map((node) => node['Node Type'])).toEqual(['Index Only Scan'])
    expect(result.isComplete).toBe(false)
    const counts = Object.fromEntries(result.counts.map(({ state, count }) => [state, count]))
    expect(counts).toMatchObject({ blocked: rare, paid: 100, draft: 0 })
  })
})
