/** While a revocation waits for an expense, others can write to the audit trail. */
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { lockExpense } from '#expenses/expenses.store.ts'
import { joinOrganization, type TestApp } from '#test/support/app.ts'
import {
  type Awaiting,
  approvalStates,
  awaiting,
  openSeveralHouse,
  type SeveralHouse,
  signedBy,
  signerOf,
} from '#test/support/several-signers.ts'
import { sharedTestApp } from '#test/support/shared-app.ts'
import { addRecipient, liftOwnersRowSecurity } from '#test/support/steps.ts'

let service: TestApp
let house: SeveralHouse
let expense: Awaiting

beforeAll(async () => {
  service = await sharedTestApp()
  await liftOwnersRowSecurity(service.database)
})
beforeEach(async () => {
  house = await openSeveralHouse(service)
  expense = await awaiting(service, house)
  expect((await signedBy(service, house, expense, signerOf(house, 0))).status).toBe(202)
})

const waiting = async (): Promise<number> => {
  const rows = await service.database.asOwner(
    `select from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock'`,
  )
  return rows.length
}

const asOwner = (path: string, body?: object) => {
  const { organization } = house
  const { token } = organization.owner
  return service.call('POST', `${organization.path}/${path}`, { token, ...(body && { body }) })
}

const revocations = {
  'a member': ({ membershipId }: { membershipId: string }) =>
    asOwner(`members/${membershipId}/revoke`),
  'a wallet role': ({ walletRoleIds }: { walletRoleIds: string[] }) =>
    asOwner(`wallet-roles/${walletRoleIds[0]}/revoke`),
}

test.each(Object.entries(revocations))('of %s', async (_of, revoke) => {
  const { id: organizationId } = house.organization
  // Not the owner, whose row the revocation of a member locks.
  const { token } = await joinOrganization(service, house.organization, { role: 'manager' })
  const revoked = await service.ctx.db.transaction({ organizationId }, async (tx) => {
    await lockExpense(tx, { organizationId, expenseId: expense.id })
    const revoking = revoke(signerOf(house, 0))
    await expect.poll(waiting).toBe(1)
    expect((await addRecipient(service, house.organization, { token })).status).toBe(201)
    return { revoking }
  })
  expect((await revoked.revoking).status).toBe(200)
  expect(await approvalStates(service, house, expense)).toEqual(['superseded'])
})
