/** Filters of the list of expenses, their counts, and who sees what. */
import { beforeAll, describe, expect, test } from 'vitest'
import { type Answer, createOrganization, type Person, type TestApp } from '#test/support/app.ts'
import { expenseIn, revise } from '#test/support/expense-states.ts'
import { type ExpenseHouse, openExpenseHouse } from '#test/support/expenses.ts'
import { sharedTestApp } from '#test/support/shared-app.ts'
import {
  addRecipient,
  indexRevisions,
  liftOwnersRowSecurity,
  outcome,
  randomAddress,
} from '#test/support/steps.ts'

let service: TestApp
let house: ExpenseHouse
let otherRecipientId: string
/** Expenses by name, oldest first. */
const ids: Record<string, string> = {}

beforeAll(async () => {
  service = await sharedTestApp()
  await liftOwnersRowSecurity(service.database)
  house = await openExpenseHouse(service)
  const { manager, organization } = house
  const label = 'Zürcher Kältetechnik'
  otherRecipientId = (await addRecipient(service, organization, { label })).body.id
  const add = async (
    name: string,
    state: Parameters<typeof expenseIn>[2],
    options: { person?: Person; terms?: Record<string, unknown> } = {},
  ) => {
    ids[name] = (await expenseIn(service, house, state, options)).id
  }
  await add('draft', 'draft', { terms: { purpose: 'Office chairs', amountBaseUnits: '1000' } })
  await add('review', 'needs_review', {
    terms: { purpose: 'Cooling of the server room', recipientId: otherRecipientId },
  })
  await add('rejected', 'rejected', { terms: { purpose: 'A second sofa' } })
  await add('cancelled', 'cancelled', { terms: { purpose: '東京オフィスの家賃 for May' } })
  await add('mine', 'draft', { person: manager, terms: { purpose: 'Flight to Oslo' } })
  await detail('draft', { category: 'furniture', reference: 'INV-2026/0042' })
  await detail('mine', { category: 'travel', reference: 'BK_77' })
  await created('draft', '2026-01-10T12:00:00Z')
  await created('review', '2026-02-10T00:00:00Z')
  await created('rejected', '2026-02-10T23:59:59.999Z')
})

const detail = (name: string, { category, reference }: { category: string; reference: string }) =>
  service.database.asOwner(
    `update expense_revisions set category = $2::text, category_name = initcap($2::text),
       reference = $3 where expense_id = $1`,
    [ids[name], category, reference],
  )

const created = (name: string, at: string) =>
  service.database.asOwner('update expenses set created_at = $2 where id = $1', [ids[name], at])

const get = (path: string, query = '', token = house.organization.owner.token): Promise<Answer> =>
  service.call('GET', `${house.organization.path}/${path}${query}`, { token })

const nameOf = (id: string): string =>
  Object.entries(ids).find(([, known]) => known === id)?.[0] ?? id

/** The names of the listed expenses, newest first. */
async function listed(query: string, person: Person = house.organization.owner): Promise<string[]> {
  const { status, body } = await get('expenses', query, person.token)
  expect(status).toBe(200)
  return body.expenses.map(({ id }: { id: string }) => nameOf(id))
}

const EVERY = ['mine', 'cancelled', 'rejected', 'review', 'draft']

describe('GET expenses', () => {
  test('lists everything without a filter', async () => {
    expect(await listed('')).toEqual(EVERY)
  })

  test.each([
    ['one state', '?state=draft', ['mine', 'draft']],
    ['several states', '?state=rejected&state=needs_review', ['rejected', 'review']],
    ['a state twice', '?state=rejected&state=rejected', ['rejected']],
    ['a state that nothing has', '?state=paid', []],
    ['a category', '?category=travel', ['mine']],
    ['an unknown category', '?category=rent', []],
    ['a minimum amount', '?minAmount=1001', ['mine', 'cancelled', 'rejected', 'review']],
    ['a maximum amount', '?maxAmount=1000', ['draft']],
    ['an exact amount', '?minAmount=1000&maxAmount=1000', ['draft']],
    ['a first day', '?from=2026-02-10', ['mine', 'cancelled', 'rejected', 'review']],
    ['a last day', '?to=2026-02-10', ['rejected', 'review', 'draft']],
    ['one day', '?from=2026-02-10&to=2026-02-10', ['rejected', 'review']],
    ['moments', '?from=2026-02-10T00:00:00Z&to=2026-02-10T23:59:59Z', ['review']],
    ['a word of the purpose', '?q=sofa', ['rejected']],
    ['the beginning of a word', '?q=flig', ['mine']],
    ['words in any order and case', '?q=ROOM%20cooling', ['review']],
    ['a reference', '?q=inv-2026/0042', ['draft']],
    ['a part of a reference', '?q=0042', ['draft']],
    ["the recipient's label", '?q=z%C3%BCrch', ['review']],
    [
      'a label in decomposed form',
      `?q=${encodeURIComponent('KÄLTE'.normalize('NFD'))}`,
      ['review'],
    ],
    ['a script without spaces', `?q=${encodeURIComponent('家賃')}`, ['cancelled']],
    ['words of different expenses', '?q=sofa%20flight', []],
    ['the inside of a word', '?q=light', []],
    ['a quote and operators', `?q=${encodeURIComponent(`sofa' & !x:* | (`)}`, []],
    ['several filters', '?state=draft&category=furniture&q=chairs&maxAmount=5000', ['draft']],
    ['several filters without a match', '?state=rejected&category=furniture', []],
  ])('filters by %s', async (_what, query, names) => {
    expect(await listed(query)).toEqual(names)
  })

  test('filters by submitter, recipient and vault', async () => {
    expect(await listed(`?submitterAccountId=${house.manager.accountId}`)).toEqual(['mine'])
    expect(await listed(`?recipientId=${otherRecipientId}`)).toEqual(['review'])
    expect(await listed(`?recipientId=${otherRecipientId.toUpperCase()}`)).toEqual(['review'])
    expect(await listed(`?vaultId=${house.vaultId}`)).toEqual(EVERY)
    expect(await listed(`?vaultId=${otherRecipientId}`)).toEqual([])
  })

  test('uses the current revision only', async () => {
    const { id } = await expenseIn(service, house, 'draft', { terms: { purpose: 'Old zeppelin' } })
    ids.revised = id
    expect(await listed('?q=zeppelin')).toEqual(['revised'])
    const terms = { purpose: 'New submarine', recipientId: otherRecipientId }
    expect((await revise(service, house, { id, terms })).status).toBe(201)
    expect(await listed('?q=zeppelin')).toEqual([])
    expect(await listed('?q=submarine')).toEqual(['revised'])
    expect(await listed(`?recipientId=${otherRecipientId}`)).toEqual(['revised', 'review'])
    expect(await listed(`?recipientId=${house.recipientId}`)).not.toContain('revised')
    await service.call('POST', `${house.organization.path}/expenses/${id}/cancel`, {
      token: house.employee.token,
      body: { expectedVersion: 2 },
    })
    ids.revised = `${id} is over`
  })

  test('pages through a filtered list with cursors', async () => {
    const names: string[] = []
    let query = '?limit=1&state=draft&state=rejected'
    for (;;) {
      const { body } = await get('expenses', query)
      expect(body.expenses).toHaveLength(1)
      names.push(nameOf(body.expenses[0].id))
      if (body.nextCursor === null) break
      query = `?limit=1&state=draft&state=rejected&cursor=${body.nextCursor}`
    }
    expect(names).toEqual(['mine', 'rejected', 'draft'])
  })

  test("shows an employee only their own, also with another member's id", async () => {
    expect(await listed('?state=draft', house.employee)).toEqual(['draft'])
    expect(await listed('?q=flight', house.employee)).toEqual([])
    const other = `?submitterAccountId=${house.manager.accountId}`
    expect(await listed(other, house.employee)).toEqual([])
  })

  test("does not find another organization's expenses", async () => {
    const neighbour = await openExpenseHouse(service)
    const terms = { purpose: 'A sofa next door' }
    await expenseIn(service, neighbour, 'draft', { terms })
    expect(await listed('?q=sofa')).toEqual(['rejected'])
    expect(await listed(`?recipientId=${neighbour.recipientId}`)).toEqual([])
  })

  test.each([
    ['an unknown state', '?state=lost'],
    ['an id that is not a UUID', '?recipientId=acme'],
    ['an amount with a sign', '?minAmount=-1'],
    ['a minimum above the maximum', '?minAmount=2&maxAmount=1'],
    ['a date that does not exist', '?from=2026-02-30'],
    ['an end before its beginning', '?from=2026-02-10&to=2026-02-09'],
    ['a search without a letter or digit', '?q=%21%21'],
    ['an empty search', '?q='],
    ['a search with a control character', '?q=a%00b'],
    ['a search of 101 characters', `?q=${'a'.repeat(101)}`],
    ['two searches', '?q=a&q=b'],
    ['somebody else to wait for', '?waitingFor=you'],
    ['an unknown parameter', '?recipient=acme'],
    ['an unknown parameter in a list', '?state[]=draft'],
  ])('rejects %s with 400', async (_what, query) => {
    for (const path of ['expenses', 'expense-counts']) {
      expect(outcome(await get(path, query))).toBe('400 validation_failed')
    }
  })

  test('names the unknown parameter and the known ones', async () => {
    const { body } = await get('expenses', '?recipient=acme')
    expect(body.error.message).toMatch(/`recipient` in the query is not a known parameter/)
    expect(body.error.message).toMatch(/recipientId/)
  })
})

describe('GET expense-counts', () => {
  const counts = async (query: string, person: Person = house.organization.owner) => {
    const { status, body } = await get('expense-counts', query, person.token)
    expect(status).toBe(200)
    const counted = Object.entries<number>(body.counts).filter(([, count]) => count > 0)
    return { ...Object.fromEntries(counted), total: body.total, isComplete: body.isComplete }
  }

  test('counts every state, also those that nothing has', async () => {
    const { body } = await get('expense-counts')
    expect(Object.keys(body.counts)).toHaveLength(14)
    expect(body).toMatchObject({
      counts: { draft: 2, needs_review: 1, rejected: 1, paid: 0 },
      isComplete: true,
    })
    expect(body.total).toBe((await get('expenses')).body.expenses.length)
  })

  test.each([
    ['state', '?state=draft', { draft: 2, total: 2 }],
    ['words', '?q=sofa', { rejected: 1, total: 1 }],
    ['category and amount', '?category=furniture&maxAmount=1000', { draft: 1, total: 1 }],
    ['dates', '?from=2026-02-10&to=2026-02-10', { needs_review: 1, rejected: 1, total: 2 }],
    ['nothing that exists', '?q=nowhere', { total: 0 }],
  ])('counts by %s', async (_what, query, expected) => {
    expect(await counts(query)).toEqual({ ...expected, isComplete: true })
  })

  test("counts an employee's own expenses only", async () => {
    expect(await counts('?state=draft', house.employee)).toMatchObject({ draft: 1, total: 1 })
  })

  test('rejects a stranger with 403', async () => {
    const { owner } = await createOrganization(service)
    expect(outcome(await get('expense-counts', '', owner.token))).toBe('403 forbidden')
  })
})

test('finds a rare word among many newer expenses, and pages through a frequent one', async () => {
  const home = await openExpenseHouse(service)
  const rare = await expenseIn(service, home, 'draft', { terms: { purpose: 'One narwhal' } })
  const { organization, employee, vaultId, recipientId } = home
  const expense = `('01ffffff-000e-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid`
  await service.database.asOwner(
    `insert into expenses (id, organization_id, submitter_account_id, payment_id,
       current_revision, state, created_at, updated_at)
     select ${expense}, $1, $2, gen_random_uuid(), 1, 'draft', now(), now()
     from generate_series(1, 2500) n`,
    [organization.id, employee.accountId],
  )
  await service.database.asOwner(
    `insert into expense_revisions (organization_id, expense_id, revision, vault_id, recipient_id,
       recipient_label, recipient_address, amount, requested_mode, purpose, purpose_key,
       version_hash, author_account_id, created_at)
     select $1, ${expense}, 1, $2, $3, 'Acme', $4, n, 'approved', 'Paper for chapter ' || n,
       sha256(n::text::bytea), '0x' || repeat('a', 64), $5, now()
     from generate_series(1, 2500) n`,
    [organization.id, vaultId, recipientId, randomAddress(), employee.accountId],
  )
  await indexRevisions(service.database)
  const find = async (query: string) =>
    (await service.call('GET', `${organization.path}/expenses${query}`, { token: employee.token }))
      .body
  const found = await find('?q=narwhal')
  expect(found.expenses.map(({ id }: { id: string }) => id)).toEqual([rare.id])
  const seen = new Set<string>()
  let pages = 0
  for (let cursor: string | null = ''; cursor !== null; pages += 1) {
    const more: string = cursor === '' ? '' : `&cursor=${cursor}`
    const { expenses, nextCursor } = await find(`?q=paper&limit=200${more}`)
    for (const { id } of expenses) seen.add(id)
    cursor = nextCursor
  }
  expect([seen.size, pages]).toEqual([2_500, 13])
  // Every range of the filter is large: nothing matches both words and the amount.
  expect((await find('?q=paper%20narwhal&minAmount=1')).expenses).toEqual([])
  expect((await find('?q=paper&maxAmount=1')).expenses).toHaveLength(1)
})
