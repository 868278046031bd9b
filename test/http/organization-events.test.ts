/** Live events of members, wallet roles, invitations and recipients, and who gets them. */
import { beforeAll, describe, expect, test } from 'vitest'
import { joinOrganization, type Person, type TestApp } from '#test/support/app.ts'
import { type ExpenseHouse, openExpenseHouse } from '#test/support/expenses.ts'
import { sharedTestApp } from '#test/support/shared-app.ts'
import {
  accept,
  addRecipient,
  invite,
  liftOwnersRowSecurity,
  liveTrail,
  membershipOf,
  randomAddress,
  revokeMember,
} from '#test/support/steps.ts'

let service: TestApp
let house: ExpenseHouse

beforeAll(async () => {
  service = await sharedTestApp()
  house = await openExpenseHouse(service)
  await liftOwnersRowSecurity(service.database)
})

/** Code, id and target state of the events of the work. */
async function announced(work: () => Promise<unknown>) {
  const { id } = house.organization
  const before = (await liveTrail(service.database, id)).length
  await work()
  const events = (await liveTrail(service.database, id)).slice(before)
  for (const event of events) {
    expect(event).toMatchObject({
      kind: 'integration.changed',
      aggregateType: 'integration',
      audience: 'both',
      severity: 'healthy',
    })
  }
  return events.map(({ code, aggregateId, targetState }) => [code, aggregateId, targetState])
}

test('an invitation is announced when it is created, accepted and revoked', async () => {
  let [first, second] = ['', '']
  let person: Person | undefined
  const events = await announced(async () => {
    const { body } = await invite(service, house.organization)
    first = body.id
    person = await service.signIn()
    await accept(service, person, body.inviteToken)
    second = (await invite(service, house.organization)).body.id
    const path = `${house.organization.path}/invitations/${second}/revoke`
    await service.call('POST', path, { token: house.organization.owner.token })
  })
  const joined = person && (await membershipOf(service, house.organization, person))
  expect(events).toEqual([
    ['invitation_created', first, 'open'],
    ['invitation_accepted', first, 'accepted'],
    ['member_joined', joined?.membershipId, 'active'],
    ['invitation_created', second, 'open'],
    ['invitation_revoked', second, 'revoked'],
  ])
})

test('wallet roles and the end of a membership are announced', async () => {
  const person = await service.signIn(undefined, [{ address: randomAddress(), kind: 'external' }])
  await joinOrganization(service, house.organization, { role: 'employee', person })
  const { membershipId } = await membershipOf(service, house.organization, person)
  let roleId = ''
  const events = await announced(async () => {
    const made = await service.call('POST', `${house.organization.path}/wallet-roles`, {
      token: house.organization.owner.token,
      body: { membershipId, walletId: person.walletIds[0], role: 'treasury_owner' },
    })
    roleId = made.body.id
    await revokeMember(service, house.organization, membershipId)
  })
  expect(events).toEqual([
    ['wallet_role_assigned', roleId, 'active'],
    ['member_revoked', membershipId, 'revoked'],
    ['wallet_role_revoked', roleId, 'revoked'],
  ])
})

test('a recipient is announced when it is created and deactivated', async () => {
  let id = ''
  const events = await announced(async () => {
    id = (await addRecipient(service, house.organization)).body.id
    const path = `${house.organization.path}/recipients/${id}/deactivate`
    await service.call('POST', path, { token: house.organization.owner.token })
  })
  expect(events).toEqual([
    ['recipient_created', id, 'active'],
    ['recipient_deactivated', id, 'deactivated'],
  ])
})

describe('employees', () => {
  const kindsIn = async (person: Person) => {
    const path = `${house.organization.path}/live/snapshot`
    const { body } = await service.call('GET', path, { token: person.token })
    return { cursor: body.cursor, events: body.events.map(({ kind }: { kind: string }) => kind) }
  }

  test('get none of these in snapshots and resumed streams; owners and managers do', async () => {
    const { organization, manager, employee } = house
    const before = await Promise.all([organization.owner, manager, employee].map(kindsIn))
    await addRecipient(service, organization)
    const resumed = async (person: Person, n: number) => {
      const url = `${organization.path}/live/stream?cursor=${before[n]?.cursor}`
      return (await service.call('GET', url, { token: person.token })).text
    }
    const created = '"code":"recipient_created"'
    await expect.poll(() => resumed(organization.owner, 0), { timeout: 15_000 }).toContain(created)
    expect(await resumed(manager, 1)).toContain(created)
    expect(await resumed(employee, 2)).not.toContain('integration.changed')
    expect((await kindsIn(organization.owner)).events).toContain('integration.changed')
    expect((await kindsIn(manager)).events).toContain('integration.changed')
    expect((await kindsIn(employee)).events).not.toContain('integration.changed')
  })
})
