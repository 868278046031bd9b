/** Roles that change, several owners, and members who leave. */
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { setAccountStatus } from '#identity/operators.ts'
import {
  createOrganization,
  joinOrganization,
  type Organization,
  type Person,
  type TestApp,
} from '#test/support/app.ts'
import { sharedTestApp } from '#test/support/shared-app.ts'
import {
  invite,
  membershipOf,
  membersOf,
  outcome,
  randomAddress,
  revokeMember,
  tally,
} from '#test/support/steps.ts'

let service: TestApp

beforeAll(async () => {
  service = await sharedTestApp()
})

type Role = 'owner' | 'manager' | 'employee'

const changeRole = (
  { path, owner }: Organization,
  membershipId: string,
  { role, token = owner.token }: { role: unknown; token?: string },
) => service.call('POST', `${path}/members/${membershipId}/role`, { token, body: { role } })

const leave = ({ path }: Organization, { token }: Person) =>
  service.call('POST', `${path}/leave`, { token })

async function joinAs(organization: Organization, role: Role) {
  const address = randomAddress()
  const person = await joinOrganization(service, organization, {
    role: role === 'owner' ? 'manager' : role,
    person: await service.signIn(undefined, [{ address, kind: 'external' }]),
  })
  const { membershipId } = await membershipOf(service, organization, person)
  if (role === 'owner') {
    expect(outcome(await changeRole(organization, membershipId, { role }))).toBe('200')
  }
  return { person, membershipId }
}

const giveWalletRole = async (
  { path, owner }: Organization,
  { person, membershipId }: { person: Person; membershipId: string },
  role: 'treasury_owner' | 'approver',
) => {
  const [walletId] = person.walletIds
  const body = { membershipId, walletId, role }
  const { token } = owner
  expect((await service.call('POST', `${path}/wallet-roles`, { token, body })).status).toBe(201)
}

const eventsOf = async ({ id }: Organization, action: string) => {
  const token = await service.operatorToken()
  const { body } = await service.call('GET', `/v1/admin/organizations/${id}`, { token })
  return body.auditEvents.filter((event: { action: string }) => event.action === action)
}

const liveCodes = async ({ path, owner: { token } }: Organization): Promise<string[]> => {
  const { body } = await service.call('GET', `${path}/live/snapshot`, { token })
  return body.events.map(({ code }: { code: string | null }) => code)
}

describe('POST {org}/members/{membershipId}/role', () => {
  test('gives the member the permissions of the new role at once', async () => {
    const acme = await createOrganization(service)
    const { person, membershipId } = await joinAs(acme, 'employee')
    const read = () => service.call('GET', `${acme.path}/pending-members`, { token: person.token })
    expect(outcome(await read())).toBe('403 role_required')
    const changed = await changeRole(acme, membershipId, { role: 'owner' })
    expect(changed.body).toMatchObject({ membershipId, role: 'owner', notices: [] })
    expect(outcome(await read())).toBe('200')
    await changeRole(acme, membershipId, { role: 'manager' })
    expect(outcome(await read())).toBe('403 role_required')
  })

  test('is audited, and notifies owners by a live event', async () => {
    const acme = await createOrganization(service)
    const { person, membershipId } = await joinAs(acme, 'employee')
    await changeRole(acme, membershipId, { role: 'manager' })
    const [event] = await eventsOf(acme, 'membership.role_changed')
    expect(event).toMatchObject({
      actorAccountId: acme.owner.accountId,
      aggregateId: membershipId,
      data: { accountId: person.accountId, from: 'employee', role: 'manager' },
    })
    await expect.poll(() => liveCodes(acme)).toContain('member_role_changed')
  })

  test('changes and records nothing if the member already has the role', async () => {
    const acme = await createOrganization(service)
    const { membershipId } = await joinAs(acme, 'employee')
    expect(outcome(await changeRole(acme, membershipId, { role: 'employee' }))).toBe('200')
    expect(await eventsOf(acme, 'membership.role_changed')).toEqual([])
  })

  test('refuses to demote the last owner with 409', async () => {
    const acme = await createOrganization(service)
    const { ownerMembershipId } = acme
    const refused = await changeRole(acme, ownerMembershipId, { role: 'manager' })
    expect(outcome(refused)).toBe('409 state_conflict')
    expect(refused.body.error.message).toContain('last owner')
    const { membershipId } = await joinAs(acme, 'owner')
    expect(outcome(await changeRole(acme, ownerMembershipId, { role: 'manager' }))).toBe('200')
    const roles = (await membersOf(service, acme)).map(({ role }) => role)
    expect(roles.sort()).toEqual(['manager', 'owner'])
    expect(membershipId).not.toBe(ownerMembershipId)
  })

  test('of two owners who demote each other, one succeeds', async () => {
    const acme = await createOrganization(service)
    const { person, membershipId } = await joinAs(acme, 'owner')
    const answers = await Promise.all([
      changeRole(acme, membershipId, { role: 'employee' }),
      changeRole(acme, acme.ownerMembershipId, { role: 'employee', token: person.token }),
    ])
    // The guard or the lock refuses the other one.
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 403])
    const roles = (await membersOf(service, acme)).map(({ role }) => role)
    expect(roles.sort()).toEqual(['employee', 'owner'])
  })

  test("ends a former owner's treasury_owner role and keeps approver", async () => {
    const acme = await createOrganization(service)
    const member = await joinAs(acme, 'owner')
    await giveWalletRole(acme, member, 'treasury_owner')
    await giveWalletRole(acme, member, 'approver')
    const { body } = await changeRole(acme, member.membershipId, { role: 'employee' })
    const active = body.walletRoles.filter((held: { active: boolean }) => held.active)
    expect(active.map(({ role }: { role: string }) => role)).toEqual(['approver'])
    expect(body.notices).toEqual([expect.stringContaining('still owns its vaults')])
    expect(await eventsOf(acme, 'wallet_role.revoked')).toHaveLength(1)
  })

  test('revokes open invitations that the new role may not send', async () => {
    const acme = await createOrganization(service)
    const { person, membershipId } = await joinAs(acme, 'owner')
    const { token } = person
    const forManager = (await invite(service, acme, { role: 'manager', token })).body
    const forEmployee = (await invite(service, acme, { token })).body
    const statusOf = async (id: string) => {
      const url = `${acme.path}/invitations`
      const { body } = await service.call('GET', url, { token: acme.owner.token })
      return body.invitations.find((one: { id: string }) => one.id === id).status
    }
    await changeRole(acme, membershipId, { role: 'manager' })
    expect([await statusOf(forManager.id), await statusOf(forEmployee.id)]).toEqual([
      'revoked',
      'open',
    ])
    await changeRole(acme, membershipId, { role: 'employee' })
    expect(await statusOf(forEmployee.id)).toBe('revoked')
  })

  test('counts a promoted member as a reviewer', async () => {
    const acme = await createOrganization(service)
    const { person, membershipId } = await joinAs(acme, 'employee')
    await changeRole(acme, membershipId, { role: 'manager' })
    const invitations = await service.call('GET', `${acme.path}/invitations`, {
      token: person.token,
    })
    expect(outcome(invitations)).toBe('200')
  })

  test('refuses other roles, strangers and memberships that are not active', async () => {
    const acme = await createOrganization(service)
    const { person, membershipId } = await joinAs(acme, 'manager')
    const other = await createOrganization(service)
    const as = (token: string) => changeRole(acme, membershipId, { role: 'owner', token })
    expect(outcome(await as(person.token))).toBe('403 role_required')
    expect(outcome(await as(other.owner.token))).toBe('403 forbidden')
    const missing = await changeRole(acme, randomUUID(), { role: 'owner' })
    expect(outcome(missing)).toBe('404 not_found')
    const foreign = await changeRole(acme, other.ownerMembershipId, { role: 'manager' })
    expect(outcome(foreign)).toBe('404 not_found')
    await revokeMember(service, acme, membershipId)
    expect(outcome(await as(acme.owner.token))).toBe('409 state_conflict')
  })

  test.each(['admin', '', null, undefined])('refuses the role %j', async (role) => {
    const acme = await createOrganization(service)
    const answer = await changeRole(acme, acme.ownerMembershipId, { role })
    expect(outcome(answer)).toBe('400 validation_failed')
  })
})

describe('POST {org}/leave', () => {
  test.each(['manager', 'employee', 'owner'] as const)('lets a %s leave', async (role) => {
    const acme = await createOrganization(service)
    const { person, membershipId } = await joinAs(acme, role)
    const left = await leave(acme, person)
    expect(left.body).toMatchObject({ membershipId, status: 'revoked', notices: [] })
    expect(outcome(await leave(acme, person))).toBe('403 forbidden')
    const [event] = await eventsOf(acme, 'membership.left')
    expect(event).toMatchObject({
      actorAccountId: person.accountId,
      aggregateId: membershipId,
      data: { accountId: person.accountId, role },
    })
    await expect.poll(() => liveCodes(acme)).toContain('member_left')
  })

  test('ends wallet roles and names approvers that policies still list', async () => {
    const acme = await createOrganization(service)
    const member = await joinAs(acme, 'manager')
    await giveWalletRole(acme, member, 'approver')
    const { body } = await leave(acme, member.person)
    expect(body.walletRoles).toMatchObject([{ role: 'approver', active: false }])
    expect(body.notices).toEqual([expect.stringContaining('may still list approver')])
  })

  test('refuses the last owner with 409', async () => {
    const acme = await createOrganization(service)
    await joinAs(acme, 'manager')
    expect(outcome(await leave(acme, acme.owner))).toBe('409 state_conflict')
  })

  test('of two owners who leave at once, one stays', async () => {
    const acme = await createOrganization(service)
    const { person } = await joinAs(acme, 'owner')
    const answers = await Promise.all([leave(acme, acme.owner), leave(acme, person)])
    expect(tally(answers)).toEqual({ '200': 1, '409 state_conflict': 1 })
  })

  test('refuses a body, and everybody who is not a member', async () => {
    const acme = await createOrganization(service)
    const { token } = await service.signIn()
    expect(outcome(await service.call('POST', `${acme.path}/leave`, { token }))).toBe(
      '403 forbidden',
    )
    expect(outcome(await service.call('POST', `${acme.path}/leave`))).toBe('401 unauthenticated')
    const { token: owner } = acme.owner
    const answer = await service.call('POST', `${acme.path}/leave`, {
      token: owner,
      body: { membershipId: acme.ownerMembershipId },
    })
    expect(outcome(answer)).toBe('400 validation_failed')
  })
})

describe('an owner whose account is disabled', () => {
  test('is not another owner: the last one who can sign in stays', async () => {
    const acme = await createOrganization(service)
    const { person, membershipId } = await joinAs(acme, 'owner')
    await setAccountStatus(service.ctx, { accountId: person.accountId, event: 'disable' })
    expect(outcome(await leave(acme, acme.owner))).toBe('409 state_conflict')
    const demoted = await changeRole(acme, acme.ownerMembershipId, { role: 'employee' })
    expect(outcome(demoted)).toBe('409 state_conflict')
    expect(outcome(await revokeMember(service, acme, acme.ownerMembershipId))).toBe(
      '409 state_conflict',
    )
    expect(outcome(await changeRole(acme, membershipId, { role: 'manager' }))).toBe('200')
  })
})

describe('several owners', () => {
  test('may revoke each other, but not the last one', async () => {
    const acme = await createOrganization(service)
    const { person, membershipId } = await joinAs(acme, 'owner')
    expect(outcome(await revokeMember(service, acme, membershipId))).toBe('200')
    const again = await service.call('POST', `${acme.path}/members/${membershipId}/revoke`, {
      token: person.token,
    })
    expect(outcome(again)).toBe('403 forbidden')
    expect(outcome(await revokeMember(service, acme, acme.ownerMembershipId))).toBe(
      '409 state_conflict',
    )
  })
})
