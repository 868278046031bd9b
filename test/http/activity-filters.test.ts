/** Filters of the list of payments, and what each item says about its expense. */
import { beforeAll, describe, expect, test } from 'vitest'
import type { Person, TestApp } from '#test/support/app.ts'
import { type ExpenseHouse, openExpenseHouse } from '#test/support/expenses.ts'
import { type PaidExpense, writePaid } from '#test/support/paid-books.ts'
import { sharedTestApp } from '#test/support/shared-app.ts'
import { addRecipient, liftOwnersRowSecurity, outcome } from '#test/support/steps.ts'
import { writeUnrecorded } from '#test/support/unrecorded-books.ts'

let service: TestApp
let house: ExpenseHouse
let otherRecipientId: string
let paper: PaidExpense
let flight: PaidExpense
let failed: PaidExpense

beforeAll(async () => {
  service = await sharedTestApp()
  await liftOwnersRowSecurity(service.database)
  house = await openExpenseHouse(service)
  otherRecipientId = (await addRecipient(service, house.organization)).body.id
  paper = await writePaid(service, house, { category: 'office', reference: 'INV-7' })
  flight = await writePaid(service, house, {
    purpose: 'Flight to Oslo',
    recipientId: otherRecipientId,
    recipientLabel: 'Nordic Air',
    confirmedAt: '2026-03-15T23:59:59.999Z',
    submitterAccountId: house.manager.accountId,
  })
  failed = await writePaid(service, house, {
    purpose: 'Paper again',
    state: 'failed',
    confirmedAt: '2026-04-01T00:00:00Z',
  })
})

const get = (query = '', { token }: Person = house.organization.owner) =>
  service.call('GET', `${house.organization.path}/activity${query}`, { token })

const listed = async (query: string, person?: Person): Promise<string[]> => {
  const { status, body } = await get(query, person)
  expect(status).toBe(200)
  const names = new Map([
    [paper.paymentId, 'paper'],
    [flight.paymentId, 'flight'],
    [failed.paymentId, 'failed'],
  ])
  return body.payments.map(({ id }: { id: string }) => names.get(id))
}

describe('GET activity', () => {
  test('says what was paid for, to whom and when it was confirmed', async () => {
    const { body } = await get()
    expect(body.payments).toMatchObject([
      { id: failed.paymentId, purpose: 'Paper again', confirmedAt: null },
      { recipientLabel: 'Nordic Air', category: null, reference: null },
      {
        id: paper.paymentId,
        purpose: 'Invoice for paper',
        recipientLabel: 'Acme Supplies',
        category: 'office',
        reference: 'INV-7',
        confirmedAt: '2026-03-01T10:00:00.000Z',
      },
    ])
  })

  test.each([
    ['a state', '?state=confirmed', ['flight', 'paper']],
    ['several states', '?state=confirmed&state=failed', ['failed', 'flight', 'paper']],
    ['a state that nothing has', '?state=queued', []],
    ['a first day', '?from=2026-03-15', ['failed', 'flight']],
    ['a last day', '?to=2026-03-15', ['flight', 'paper']],
    ['a moment', '?to=2026-03-15T12:00:00Z', ['paper']],
    ['words', '?q=paper', ['failed', 'paper']],
    ['a reference', '?q=inv-7', ['paper']],
    ["the recipient's label", '?q=nordic', ['flight']],
    ['several filters', '?state=confirmed&q=paper&from=2026-01-01', ['paper']],
  ])('filters by %s', async (_what, query, names) => {
    expect(await listed(query)).toEqual(names)
  })

  test('filters by recipient', async () => {
    expect(await listed(`?recipientId=${otherRecipientId}`)).toEqual(['flight'])
  })

  test('pages through a filtered list', async () => {
    const first = await get('?limit=1&q=paper')
    expect(first.body.payments[0].id).toBe(failed.paymentId)
    const second = await get(`?limit=1&q=paper&cursor=${first.body.nextCursor}`)
    expect(second.body).toMatchObject({ payments: [{ id: paper.paymentId }], nextCursor: null })
  })

  test('shows employees payments of their own expenses only', async () => {
    expect(await listed('', house.employee)).toEqual(['failed', 'paper'])
    expect(await listed('?q=flight', house.employee)).toEqual([])
  })

  test('lists unrecorded payments only without a filter', async () => {
    const { id: organizationId } = house.organization
    await writeUnrecorded(service, { organizationId, vaultId: house.vaultId }, {})
    expect((await get()).body.unrecordedPayments).toHaveLength(1)
    expect((await get('?state=confirmed')).body.unrecordedPayments).toEqual([])
  })

  test.each([
    ['an unknown state', '?state=paid'],
    ['an unknown parameter', '?vaultId=00000000-0000-0000-0000-000000000000'],
    ['an empty period', '?from=2026-03-02&to=2026-03-01'],
    ['a search without a letter or digit', '?q=--'],
  ])('rejects %s with 400', async (_what, query) => {
    expect(outcome(await get(query))).toBe('400 validation_failed')
  })
})
