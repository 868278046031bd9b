/**
 * The guard sends the read of a known member together with its check. What a member may see follows
 * the check all the same, in the very next request.
 */
import pg from 'pg'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import type { TestApp } from '#test/support/app.ts'
import { createExpense, type ExpenseHouse, openExpenseHouse } from '#test/support/expenses.ts'
import { sharedTestApp } from '#test/support/shared-app.ts'
import { membershipOf, outcome, revokeMember } from '#test/support/steps.ts'

let service: TestApp
let house: ExpenseHouse
let ownerExpense: string
let ownExpense: string

beforeAll(async () => {
  service = await sharedTestApp()
})
beforeEach(async () => {
  house = await openExpenseHouse(service)
  const { owner } = house.organization
  ownerExpense = (await createExpense(service, house, { person: owner })).body.id
  ownExpense = (await createExpense(service, house, { person: house.employee })).body.id
})

const get = (path: string, token = house.employee.token) =>
  service.call('GET', `${house.organization.path}/${path}`, { token })

const listed = async (): Promise<string[]> =>
  (await get('expenses')).body.expenses.map(({ id }: { id: string }) => id)

const changeRole = async (role: string) => {
  const { membershipId } = await membershipOf(service, house.organization, house.employee)
  const { token } = house.organization.owner
  const path = `${house.organization.path}/members/${membershipId}/role`
  expect(outcome(await service.call('POST', path, { token, body: { role } }))).toBe('200')
}

const revoke = async () => {
  const { membershipId } = await membershipOf(service, house.organization, house.employee)
  expect(outcome(await revokeMember(service, house.organization, membershipId))).toBe('200')
}

/** How many messages the requests sent to the database. */
async function messagesOf(work: () => Promise<unknown>): Promise<number> {
  const prototype = pg.Client.prototype as unknown as { query(...sent: unknown[]): unknown }
  const { query } = prototype
  let count = 0
  prototype.query = function (this: unknown, ...sent) {
    const { statements = [] } = sent[0] as { statements?: { text: string }[] }
    if (statements.some(({ text }) => text.includes('from accounts'))) count += 1
    else if (statements.some(({ text }) => text.includes('from expenses'))) count += 1
    return query.apply(this, sent)
  }
  try {
    await work()
  } finally {
    prototype.query = query
  }
  return count
}

test('the check and the read of a member who was seen before are one message', async () => {
  await get('expenses')
  expect(await messagesOf(() => get('expenses'))).toBe(1)
  expect(await messagesOf(() => get(`expenses/${ownExpense}`))).toBe(1)
})

test('a promoted member sees all at once, and a demoted one only their own again', async () => {
  expect(await listed()).toEqual([ownExpense])
  expect(outcome(await get(`expenses/${ownerExpense}`))).toContain('404')
  await changeRole('manager')
  expect(await listed()).toEqual([ownExpense, ownerExpense])
  expect(outcome(await get(`expenses/${ownerExpense}`))).toBe('200')
  await changeRole('employee')
  expect(outcome(await get(`expenses/${ownerExpense}`))).toContain('404')
  expect(await listed()).toEqual([ownExpense])
})

test('a revoked member is refused at once', async () => {
  expect(await listed()).toEqual([ownExpense])
  await revoke()
  expect(outcome(await get('expenses'))).toBe('403 forbidden')
  expect(outcome(await get(`expenses/${ownExpense}`))).toBe('403 forbidden')
})

test('invalid input is refused after the check, not before', async () => {
  await get('expenses')
  expect(outcome(await get('expenses?limit=0'))).toContain('400')
  expect(outcome(await get(`expenses?cursor=${'A'.repeat(21)}Q`))).toContain('400')
  expect(outcome(await get('expenses/none'))).toContain('400')
  await revoke()
  expect(outcome(await get('expenses?limit=0'))).toBe('403 forbidden')
  expect(outcome(await get('expenses/none'))).toBe('403 forbidden')
})
