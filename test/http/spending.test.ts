/** Sums of confirmed payments. */
import { beforeAll, describe, expect, test } from 'vitest'
import { createOrganization, type Person, type TestApp } from '#test/support/app.ts'
import { writeVaults } from '#test/support/books.ts'
import { type ExpenseHouse, openExpenseHouse } from '#test/support/expenses.ts'
import { writePaid } from '#test/support/paid-books.ts'
import { sharedTestApp } from '#test/support/shared-app.ts'
import { addRecipient, liftOwnersRowSecurity, outcome } from '#test/support/steps.ts'

let service: TestApp
let house: ExpenseHouse
let secondVaultId: string
let otherRecipientId: string

beforeAll(async () => {
  service = await sharedTestApp()
  await liftOwnersRowSecurity(service.database)
  house = await openExpenseHouse(service)
  const { organization } = house
  const label = 'Nordic Air'
  otherRecipientId = (await addRecipient(service, organization, { label })).body.id
  secondVaultId = (await writeVaults(service, organization.id, 1)).ids[0] ?? ''
  await writePaid(service, house, {
    confirmedAt: '2026-01-31T23:59:59.999Z',
    amount: 12_345_678n,
    category: 'office',
    categoryName: 'Office',
  })
  await writePaid(service, house, {
    recipientId: otherRecipientId,
    recipientLabel: label,
    confirmedAt: '2026-03-01T00:00:00.000Z',
    submitterAccountId: house.manager.accountId,
    vaultId: secondVaultId,
  })
  await writePaid(service, house, {
    category: 'gone',
    categoryName: 'No longer listed',
    amount: 1n,
    confirmedAt: '2026-03-01T00:00:00.000Z',
  })
  await writePaid(service, house, { state: 'failed' })
})

const get = (path: string, { token }: Person = house.organization.owner) =>
  service.call('GET', `${house.organization.path}/${path}`, { token })

describe('GET spending', () => {
  const sums = async (query: string) => {
    const { status, body } = await get(`spending${query}`, house.manager)
    expect(status).toBe(200)
    return body
  }

  test('sums up confirmed payments by month in the order of time', async () => {
    expect(await sums('')).toEqual({
      groups: [
        { key: '2026-01', label: '2026-01', amountBaseUnits: '12345678', count: 1 },
        { key: '2026-03', label: '2026-03', amountBaseUnits: '25000001', count: 2 },
      ],
      total: '37345679',
      count: 3,
    })
  })

  test.each([
    ['recipient', () => [otherRecipientId, 'Nordic Air', '25000000']],
    ['member', () => [house.manager.accountId, null, '25000000']],
    ['vault', () => [secondVaultId, expect.any(String), '25000000']],
    ['category', () => [null, null, '25000000']],
  ])('sums up by %s, largest first', async (by, expected) => {
    const { groups, total } = await sums(`?by=${by}`)
    const [key, label, amountBaseUnits] = expected()
    expect(groups[0]).toEqual({ key, label, amountBaseUnits, count: 1 })
    expect(total).toBe('37345679')
  })

  test('names categories as the list does now, or as the revision did', async () => {
    await service.database.asOwner(
      `insert into categories (organization_id, code, name, position)
       values ($1, 'office', 'Office and paper', 0)`,
      [house.organization.id],
    )
    const { groups } = await sums('?by=category')
    expect(groups.map(({ label }: { label: string }) => label)).toEqual([
      null,
      'Office and paper',
      'No longer listed',
    ])
  })

  test('limits the sums to a period', async () => {
    expect(await sums('?to=2026-01-31')).toMatchObject({ total: '12345678', count: 1 })
    expect(await sums('?from=2027-01-01')).toEqual({ groups: [], total: '0', count: 0 })
  })

  test('rejects an unknown group with 400', async () => {
    expect(outcome(await get('spending?by=colour'))).toBe('400 validation_failed')
  })

  test('is refused to employees and strangers', async () => {
    expect(outcome(await get('spending', house.employee))).toBe('403 role_required')
    const { owner } = await createOrganization(service)
    expect(outcome(await get('spending', owner))).toBe('403 forbidden')
  })
})
