/** Automatic payments require membership of some days and a recipient other than the submitter. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { joinOrganization, type Person, startTestApp, type TestApp } from '#test/support/app.ts'
import { analyse, type ExpenseHouse, openExpenseHouse } from '#test/support/expenses.ts'
import { ask, askAndAnalyse, USDC, underRules, warningsOf } from '#test/support/insiders.ts'
import { liftOwnersRowSecurity, membershipOf, revokeMember } from '#test/support/steps.ts'

let service: TestApp
let house: ExpenseHouse

beforeAll(async () => {
  service = await startTestApp({ env: { AUTOMATIC_AFTER_DAYS: '7' } })
  await liftOwnersRowSecurity(service.database)
})
afterAll(() => service.stop())
beforeEach(async () => {
  house = await openExpenseHouse(service)
})

const AMOUNT = 20n * USDC

const memberFor = (person: Person, time: string) =>
  service.database.asOwner(
    `update memberships set recorded_at = now() - $3::interval
     where organization_id = $1 and account_id = $2`,
    [house.organization.id, person.accountId, time],
  )

const warnings = async (person: Person) => {
  const { id, runId } = await ask(service, house, { amount: AMOUNT, person })
  await analyse(service, house, runId)
  return warningsOf(service, house, id)
}

describe('a member of less than seven days', () => {
  test.each(['owner', 'manager', 'employee'] as const)(
    'never gets automatic mode as %s, and the report says why',
    async (role) => {
      const person = role === 'owner' ? house.organization.owner : house[role]
      expect(await warnings(person)).toEqual([
        {
          id: 'new_member',
          outcome: 'warn',
          detail: 'The submitter has been a member for 0 days; automatic payment requires 7 days.',
        },
      ])
    },
  )

  test('gets automatic mode after seven days', async () => {
    await memberFor(house.employee, '6 days 23 hours 59 minutes')
    const asked = { amount: AMOUNT, person: house.employee }
    expect(await askAndAnalyse(service, house, asked)).toBe(0n)
    await memberFor(house.employee, '7 days')
    expect(await askAndAnalyse(service, house, { ...asked, amount: AMOUNT + 1n })).toBe(AMOUNT + 1n)
  })

  test('counts as new again after leaving and returning', async () => {
    await memberFor(house.employee, '90 days')
    const { membershipId } = await membershipOf(service, house.organization, house.employee)
    expect((await revokeMember(service, house.organization, membershipId)).status).toBe(200)
    await joinOrganization(service, house.organization, {
      role: 'employee',
      person: house.employee,
    })
    expect(await warnings(house.employee)).toMatchObject([{ id: 'new_member' }])
  })

  test('needs a signature once the membership has ended', async () => {
    await memberFor(house.employee, '90 days')
    const { id, runId } = await ask(service, house, { amount: AMOUNT, person: house.employee })
    const { membershipId } = await membershipOf(service, house.organization, house.employee)
    await revokeMember(service, house.organization, membershipId)
    await analyse(service, house, runId)
    expect(await warningsOf(service, house, id)).toMatchObject([
      {
        id: 'new_member',
        detail: 'The submitter is not an active member, so it needs a signature.',
      },
    ])
  })
})

describe("an expense to the submitter's own wallet", () => {
  /** A long-standing member whose own wallet is the recipient. */
  async function payee(): Promise<Person> {
    const wallets = [{ address: house.recipientAddress, kind: 'external' as const }]
    const person = await service.signIn(undefined, wallets)
    await joinOrganization(service, house.organization, { role: 'employee', person })
    await memberFor(person, '90 days')
    return person
  }

  test('is never automatic by default', async () => {
    expect(await warnings(await payee())).toMatchObject([{ id: 'own_reimbursement' }])
  })

  test('is automatic up to the configured amount', async () => {
    const person = await payee()
    const ctx = underRules(service, { reimbursementMax: AMOUNT })
    expect(await askAndAnalyse(service, house, { amount: AMOUNT, person, ctx })).toBe(AMOUNT)
    expect(await askAndAnalyse(service, house, { amount: AMOUNT + 1n, person, ctx })).toBe(0n)
  })

  test('still counts as own after the wallet is unlinked', async () => {
    const person = await payee()
    await service.database.asOwner('delete from wallets where account_id = $1', [person.accountId])
    expect(await warnings(person)).toMatchObject([{ id: 'own_reimbursement' }])
  })
})
