import { randomUUID } from 'node:crypto'
import { getAddress } from 'viem'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  createOrganization,
  joinOrganization,
  type Organization,
  type TestApp,
} from '#test/support/app.ts'
import { listWallets, makeServerWallet } from '#test/support/exports.ts'
import { sharedTestApp } from '#test/support/shared-app.ts'
import {
  accept,
  addRecipient,
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

/** A member whose wallet has a role, and an owner with a wallet. */
async function memberWithRole(organization: Organization, role: 'approver' | 'treasury_owner') {
  const address = randomAddress()
  const wallets = [{ address, kind: 'embedded' as const }]
  const person = await service.signIn(undefined, wallets)
  await joinOrganization(service, organization, { role: 'manager', person })
  const { membershipId } = await membershipOf(service, organization, person)
  const assigned = await service.call('POST', `${organization.path}/wallet-roles`, {
    token: organization.owner.token,
    body: { membershipId, walletId: person.walletIds[0], role },
  })
  expect(outcome(assigned)).toBe('201')
  return { person, membershipId, address: getAddress(address), walletRole: assigned.body }
}

const invitationsOf = async ({ path, owner }: Organization) => {
  const { body } = await service.call('GET', `${path}/invitations`, { token: owner.token })
  return body.invitations as { id: string; status: string }[]
}

describe('GET {org}/members', () => {
  test('shows only the wallets that a former member had when they left', async () => {
    const organization = await createOrganization(service)
    const { person, membershipId, address } = await memberWithRole(organization, 'approver')
    await revokeMember(service, organization, membershipId)
    const later = { address: randomAddress(), kind: 'external' as const }
    await service.signIn(person.subject, [{ address, kind: 'embedded' }, later])
    const members = await membersOf(service, organization)
    const left = members.find((member) => member.membershipId === membershipId)
    expect(left?.wallets.map((wallet) => wallet.address)).toEqual([address])
  })

  test('shows no server wallet that a member made for another organization', async () => {
    const organization = await createOrganization(service)
    const { owner } = organization
    const { id: elsewhere } = await createOrganization(service, owner)
    const holder = { realm: 'consumer', ...owner } as const
    const own = await makeServerWallet(service, holder)
    const here = await makeServerWallet(service, holder, { organizationId: organization.id })
    await makeServerWallet(service, holder, { organizationId: elsewhere })
    const { wallets } = await membershipOf(service, organization, owner)
    expect(wallets.map(({ id }) => id)).toEqual([own.id, here.id])
    expect(await listWallets(service, holder)).toHaveLength(3)
  })

  test('lists every member with wallets and wallet roles, newest first', async () => {
    const organization = await createOrganization(service)
    const { person, membershipId, address, walletRole } = await memberWithRole(
      organization,
      'approver',
    )
    const employee = await joinOrganization(service, organization, { role: 'employee' })

    const { status, body } = await service.call('GET', `${organization.path}/members`, {
      token: employee.token,
    })
    expect(status).toBe(200)
    const [walletId] = person.walletIds
    expect(body).toEqual({
      nextCursor: null,
      members: [
        {
          membershipId: expect.any(String),
          accountId: employee.accountId,
          role: 'employee',
          status: 'active',
          displayName: null,
          wallets: [],
          walletRoles: [],
        },
        {
          membershipId,
          accountId: person.accountId,
          role: 'manager',
          status: 'active',
          displayName: null,
          wallets: [{ id: walletId, address, kind: 'embedded' }],
          walletRoles: [{ id: walletRole.id, walletId, role: 'approver', active: true }],
        },
        {
          membershipId: organization.ownerMembershipId,
          accountId: organization.owner.accountId,
          role: 'owner',
          status: 'active',
          displayName: null,
          wallets: [],
          walletRoles: [],
        },
      ],
    })
  })

  test('pages by limit and cursor', async () => {
    const organization = await createOrganization(service)
    for (let count = 0; count < 4; count += 1) {
      await joinOrganization(service, organization, { role: 'employee' })
    }
    const all = await membersOf(service, organization)
    const token = organization.owner.token
    const first = await service.call('GET', `${organization.path}/members?limit=3`, { token })
    const { nextCursor } = first.body
    const rest = await service.call('GET', `${organization.path}/members?cursor=${nextCursor}`, {
      token,
    })
    expect([...first.body.members, ...rest.body.members]).toEqual(all)
    expect(rest.body.nextCursor).toBeNull()
  })

  test('is the same 403 for non-members and for an unknown organization', async () => {
    const organization = await createOrganization(service)
    const { token } = await service.signIn()
    const read = (path: string) =>
      service.call('GET', `${path}/members`, { token, headers: { 'x-request-id': 'same' } })
    const foreign = await read(organization.path)
    const missing = await read(`/v1/consumer/organizations/${randomUUID()}`)
    expect(outcome(foreign)).toBe('403 forbidden')
    expect(missing.text).toBe(foreign.text)
  })

  test('is 401 without a token', async () => {
    const { path } = await createOrganization(service)
    expect(outcome(await service.call('GET', `${path}/members`))).toBe('401 unauthenticated')
  })
})

describe('POST {org}/members/{membershipId}/revoke', () => {
  test('ends the membership, its wallet roles and its open invitations together', async () => {
    const organization = await createOrganization(service)
    const { person, membershipId, address, walletRole } = await memberWithRole(
      organization,
      'approver',
    )
    const kept = (await invite(service, organization)).body
    const theirs = (await invite(service, organization, { token: person.token })).body

    const { status, body } = await revokeMember(service, organization, membershipId)
    expect(status).toBe(200)
    const { email: _email, ...member } = await membershipOf(service, organization, person)
    expect(body).toEqual({
      ...member,
      status: 'revoked',
      walletRoles: [
        { id: walletRole.id, walletId: person.walletIds[0], role: 'approver', active: false },
      ],
      notices: [expect.stringContaining(address)],
    })
    const states = new Map((await invitationsOf(organization)).map((i) => [i.id, i.status]))
    expect([states.get(theirs.id), states.get(kept.id)]).toEqual(['revoked', 'open'])
    const newcomer = await service.signIn()
    const used = await accept(service, newcomer, theirs.inviteToken)
    expect(outcome(used)).toBe('409 invitation_unusable')
  })

  test('returns no notice about the chain for a treasury owner', async () => {
    const organization = await createOrganization(service)
    const { membershipId } = await memberWithRole(organization, 'treasury_owner')
    const { body } = await revokeMember(service, organization, membershipId)
    expect(body.notices).toEqual([])
    expect(body.walletRoles).toMatchObject([{ active: false }])
  })

  test('refuses the member immediately, with the token they hold', async () => {
    const organization = await createOrganization(service)
    const person = await joinOrganization(service, organization, { role: 'manager' })
    const { token } = person
    const { membershipId } = await membershipOf(service, organization, person)
    await revokeMember(service, organization, membershipId)
    const answers = [
      await service.call('GET', `${organization.path}/members`, { token }),
      await service.call('GET', `${organization.path}/recipients`, { token }),
      await invite(service, organization, { token }),
      await addRecipient(service, organization, { token }),
    ]
    expect(tally(answers)).toEqual({ '403 forbidden': 4 })
  })

  test('hides wallets that a former member links later, until they return', async () => {
    const organization = await createOrganization(service)
    const { person, membershipId, address } = await memberWithRole(organization, 'approver')
    await revokeMember(service, organization, membershipId)
    const later = randomAddress()
    await service.signIn(person.subject, [{ address: later, kind: 'external' }])
    const shown = async () => {
      const { wallets } = await membershipOf(service, organization, person)
      return wallets.map((wallet) => wallet.address)
    }
    expect(await shown()).toEqual([address])
    await joinOrganization(service, organization, { role: 'employee', person })
    expect(await shown()).toEqual([address, getAddress(later)])
  })

  test('is 409 state_conflict when repeated', async () => {
    const organization = await createOrganization(service)
    const person = await joinOrganization(service, organization, { role: 'employee' })
    const { membershipId } = await membershipOf(service, organization, person)
    await revokeMember(service, organization, membershipId)
    const again = await revokeMember(service, organization, membershipId)
    expect(outcome(again)).toBe('409 state_conflict')
  })

  test('is 409 state_conflict for the last owner, who stays', async () => {
    const organization = await createOrganization(service)
    const { ownerMembershipId } = organization
    const answer = await revokeMember(service, organization, ownerMembershipId)
    expect(outcome(answer)).toBe('409 state_conflict')
    expect(await membersOf(service, organization)).toMatchObject([{ status: 'active' }])
  })

  test('is 404 for an unknown membership or one of another organization', async () => {
    const organization = await createOrganization(service)
    const other = await createOrganization(service)
    const person = await joinOrganization(service, other, { role: 'employee' })
    const { membershipId: foreign } = await membershipOf(service, other, person)
    for (const id of [randomUUID(), foreign, other.ownerMembershipId]) {
      expect(outcome(await revokeMember(service, organization, id))).toBe('404 not_found')
    }
    expect(await membershipOf(service, other, person)).toMatchObject({ status: 'active' })
  })

  test('is 400 for a malformed id and accepts an id in upper case', async () => {
    const organization = await createOrganization(service)
    const person = await joinOrganization(service, organization, { role: 'employee' })
    const { membershipId } = await membershipOf(service, organization, person)
    const bad = await revokeMember(service, organization, 'mine')
    expect(outcome(bad)).toBe('400 validation_failed')
    const upper = await revokeMember(service, organization, membershipId.toUpperCase())
    expect(outcome(upper)).toBe('200')
  })

  test.each(['manager', 'employee'] as const)('is 403 role_required for a %s', async (role) => {
    const organization = await createOrganization(service)
    const person = await joinOrganization(service, organization, { role })
    const { membershipId } = await membershipOf(service, organization, person)
    for (const id of [membershipId, organization.ownerMembershipId, randomUUID()]) {
      const answer = await revokeMember(service, organization, id, person.token)
      expect(outcome(answer)).toBe('403 role_required')
    }
  })

  test('rejects a request body and revokes nobody', async () => {
    const organization = await createOrganization(service)
    const person = await joinOrganization(service, organization, { role: 'employee' })
    const { membershipId } = await membershipOf(service, organization, person)
    const url = `${organization.path}/members/${membershipId}/revoke`
    const { token } = organization.owner
    const answer = await service.call('POST', url, { token, body: { role: 'employee' } })
    expect(outcome(answer)).toBe('400 validation_failed')
    expect(await membershipOf(service, organization, person)).toMatchObject({ status: 'active' })
  })

  test('lets a revoked member return by a new invitation with a new membership', async () => {
    const organization = await createOrganization(service)
    const { person, membershipId } = await memberWithRole(organization, 'approver')
    await revokeMember(service, organization, membershipId)
    await joinOrganization(service, organization, { role: 'employee', person })
    const back = await membershipOf(service, organization, person)
    expect(back).toMatchObject({ role: 'employee', status: 'active', walletRoles: [] })
    expect(back.membershipId).not.toBe(membershipId)
    const theirs = (await membersOf(service, organization)).filter(
      ({ accountId }) => accountId === person.accountId,
    )
    expect(theirs.map(({ status }) => status)).toEqual(['active', 'revoked'])
  })
})
