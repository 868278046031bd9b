/** An employee with an approver wallet can read what they are asked to sign, and nothing more. */
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { joinOrganization, type Person, type TestApp } from '#test/support/app.ts'
import { download, uploaded } from '#test/support/attachments.ts'
import { comment, readExpense, review } from '#test/support/expense-states.ts'
import {
  analyse,
  createExpense,
  type ExpenseHouse,
  openExpenseHouse,
  takeStep,
} from '#test/support/expenses.ts'
import { sharedTestApp } from '#test/support/shared-app.ts'
import { liftOwnersRowSecurity, membershipOf, outcome, randomAddress } from '#test/support/steps.ts'

let service: TestApp
let house: ExpenseHouse
let colleague: Person
let membershipId: string

beforeAll(async () => {
  service = await sharedTestApp()
  await liftOwnersRowSecurity(service.database)
})
beforeEach(async () => {
  house = await openExpenseHouse(service)
  const wallets = [{ address: randomAddress(), kind: 'external' as const }]
  const person = await service.signIn(undefined, wallets)
  colleague = await joinOrganization(service, house.organization, { role: 'employee', person })
  membershipId = (await membershipOf(service, house.organization, colleague)).membershipId
})

const asOwner = (path: string, body?: object) =>
  service.call('POST', `${house.organization.path}/${path}`, {
    token: house.organization.owner.token,
    ...(body && { body }),
  })

const makeApprover = async (): Promise<string> =>
  (
    await asOwner('wallet-roles', {
      membershipId,
      walletId: colleague.walletIds[0],
      role: 'approver',
    })
  ).body.id

/** With a receipt, waiting for a signature. */
async function awaiting(): Promise<{ id: string; reportId: string; attachmentId: string }> {
  const person = house.employee
  const { id: attachmentId } = await uploaded(service, house.organization, { person })
  const made = await createExpense(service, house, {
    person,
    terms: { attachmentIds: [attachmentId] },
  })
  const { id } = made.body
  const body = { expectedVersion: 1 }
  const submitted = await takeStep(service, house, { id, step: 'submit', person, body })
  await analyse(service, house, submitted.body.taskId)
  const advanced = await review(service, house, { id, action: 'advance_to_approval' })
  expect(advanced.status).toBe(200)
  return { id, reportId: advanced.body.currentReportId, attachmentId }
}

async function reads(found: Awaited<ReturnType<typeof awaiting>>): Promise<number[]> {
  const { id, reportId, attachmentId } = found
  const { path } = house.organization
  const { token } = colleague
  return [
    (await readExpense(service, house, id, colleague.token)).status,
    (await service.call('GET', `${path}/reports/${reportId}`, { token })).status,
    (await service.call('GET', `${path}/expenses/${id}/revisions/1/report`, { token })).status,
    (await download(service, house.organization, { id: attachmentId, person: colleague })).status,
  ]
}

test('the expense, its reports and its attachments, while it waits for a signature', async () => {
  const found = await awaiting()
  expect(await reads(found)).toEqual([404, 404, 404, 404])
  const roleId = await makeApprover()
  expect(await reads(found)).toEqual([200, 200, 200, 200])
  expect((await asOwner(`wallet-roles/${roleId}/revoke`)).status).toBe(200)
  expect(await reads(found)).toEqual([404, 404, 404, 404])
})

test('also later, if they have prepared an approval of it', async () => {
  const roleId = await makeApprover()
  const address = (await membershipOf(service, house.organization, colleague)).wallets[0]?.address
  await service.database.asOwner(
    `update policies set approver_addresses = approver_addresses || $2::text
     where organization_id = $1`,
    [house.organization.id, address?.toLowerCase()],
  )
  const found = await awaiting()
  const prepared = await takeStep(service, house, {
    id: found.id,
    step: 'approvals/prepare',
    person: colleague,
    body: { expectedVersion: 1 },
  })
  expect(prepared.status).toBe(200)
  expect((await asOwner(`wallet-roles/${roleId}/revoke`)).status).toBe(200)
  expect(await reads(found)).toEqual([200, 200, 200, 200])
})

test('not before it waits for a signature, and not after a rejection', async () => {
  await makeApprover()
  const draft = await createExpense(service, house, { person: house.employee })
  const unsent = await readExpense(service, house, draft.body.id, colleague.token)
  expect(outcome(unsent)).toBe('404 not_found')
  const found = await awaiting()
  expect((await review(service, house, { id: found.id, action: 'reject' })).status).toBe(200)
  expect(await reads(found)).toEqual([404, 404, 404, 404])
})

test('without changing it: comments and lists are of their own expenses', async () => {
  await makeApprover()
  const { id } = await awaiting()
  const said = await comment(service, house, { id, person: colleague })
  expect(said.status).toBeGreaterThanOrEqual(403)
  const { body } = await service.call('GET', `${house.organization.path}/expenses`, {
    token: colleague.token,
  })
  expect(body.expenses).toEqual([])
})
