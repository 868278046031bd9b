/** Who may export, and how often. */
import { beforeAll, expect, test } from 'vitest'
import { createOrganization, type Person, type TestApp } from '#test/support/app.ts'
import { type ExpenseHouse, openExpenseHouse } from '#test/support/expenses.ts'
import { sharedTestApp } from '#test/support/shared-app.ts'
import { auditTrail, liftOwnersRowSecurity, outcome, times } from '#test/support/steps.ts'

let service: TestApp
let house: ExpenseHouse

beforeAll(async () => {
  service = await sharedTestApp()
  await liftOwnersRowSecurity(service.database)
  house = await openExpenseHouse(service)
})

const get = (path: string, { token }: Person = house.organization.owner) =>
  service.call('GET', `${house.organization.path}/${path}`, { token })

test('an export is refused to those who may not see everything, without an event', async () => {
  const { id } = house.organization
  const before = (await auditTrail(service.database, id)).length
  for (const path of ['exports/payments.csv', 'exports/expenses.csv', 'spending']) {
    expect(outcome(await get(path, house.employee))).toBe('403 role_required')
    const { owner } = await createOrganization(service)
    expect(outcome(await get(path, owner))).toBe('403 forbidden')
    expect(outcome(await get(`${path}?from=soon`))).toBe('400 validation_failed')
    expect(outcome(await get(`${path}?from=2026-02-01&to=2026-01-01`))).toBe(
      '400 validation_failed',
    )
  }
  expect(outcome(await get('exports/payments.csv?format=excel'))).toBe('400 validation_failed')
  expect((await auditTrail(service.database, id)).length).toBe(before)
})

test('an account exports at most ten times a minute, of any kind', async () => {
  const urls = times(11, (n) => `exports/${n % 2 ? 'payments' : 'expenses'}.csv`)
  const answers: string[] = []
  for (const url of urls) answers.push(outcome(await get(url, house.manager)))
  expect(answers).toEqual([...times(10, () => '200'), '429 rate_limited'])
})
