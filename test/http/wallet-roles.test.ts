import { randomUUID } from 'node:crypto'
import { getAddress } from 'viem'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  createOrganization,
  joinOrganization,
  type Organization,
  type TestApp,
} from '#test/support/app.ts'
import { sharedTestApp } from '#test/support/shared-app.ts'
import {
  auditTrail,
  membershipOf,
  membersOf,
  outcome,
  randomAddress,
  revokeMember,
  tally,
  times,
} from '#test/support/steps.ts'

const SOLANA = '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU'

let service: TestApp

beforeAll(async () => {
  service = await sharedTestApp()
})

/** An organization whose owner has two wallets. */
async function furnished() {
  const addresses = [randomAddress(), randomAddress()]
  const wallets = addresses.map((address) => ({ address, kind: 'external' as const }))
  const owner = await service.signIn(undefined, wallets)
  const organization = await createOrganization(service, owner)
  const [walletId = '', secondWalletId = ''] = owner.walletIds
  const { wallets: listed } = await membershipOf(service, organization, owner)
  const address = listed.find(({ id }) => id === walletId)?.address ?? ''
  return { organization, owner, addresses, walletId, secondWalletId, address }
}

type Assignment = { membershipId: string; walletId: string; role: string }

const assign = ({ path, owner }: Organization, body: unknown, token = owner.token) =>
  service.call('POST', `${path}/wallet-roles`, { token, body })

const withdraw = ({ path, owner }: Organization, id: string, token = owner.token) =>
  service.call('POST', `${path}/wallet-roles/${id}/revoke`, { token })

const personWithWallet = async () => {
  const address = randomAddress()
  const person = await service.signIn(undefined, [{ address, kind: 'embedded' }])
  return { person, address: getAddress(address), walletId: person.walletIds[0] ?? '' }
}

describe('POST {org}/wallet-roles', () => {
  test("assigns a role to a member's own wallet", async () => {
    const { organization } = await furnished()
    const { person, address, walletId } = await personWithWallet()
    await joinOrganization(service, organization, { role: 'manager', person })
    const { membershipId } = await membershipOf(service, organization, person)
    const { status, body } = await assign(organization, {
      membershipId,
      walletId,
      role: 'approver',
    })
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.any(String),
      organizationId: organization.id,
      membershipId,
      walletId,
      role: 'approver',
      address,
      active: true,
    })
  })

  test('allows both roles for one wallet, each once', async () => {
    const { organization, walletId } = await furnished()
    const { ownerMembershipId: membershipId } = organization
    const both = ['treasury_owner', 'approver']
    for (const role of both) {
      expect(outcome(await assign(organization, { membershipId, walletId, role }))).toBe('201')
    }
    for (const role of both) {
      const again = await assign(organization, { membershipId, walletId, role })
      expect(outcome(again)).toBe('409 duplicate')
    }
    const [owner] = await membersOf(service, organization)
    expect(owner?.walletRoles.map(({ role }) => role)).toEqual(both)
  })

  test('assigns once for twenty concurrent requests; the rest are 409 duplicate', async () => {
    const { organization, walletId } = await furnished()
    const body = { membershipId: organization.ownerMembershipId, walletId, role: 'approver' }
    const answers = await Promise.all(times(20, () => assign(organization, body)))
    expect(tally(answers)).toEqual({ 201: 1, '409 duplicate': 19 })
    const actions = (await auditTrail(service.database, organization.id)).map((e) => e.action)
    expect(actions.filter((action) => action === 'wallet_role.assigned')).toHaveLength(1)
  })

  test("allows the role in two organizations of the wallet's holder", async () => {
    const { organization, owner, walletId } = await furnished()
    const other = await createOrganization(service, owner)
    for (const { ownerMembershipId: membershipId, ...rest } of [organization, other]) {
      const body = { membershipId, walletId, role: 'approver' }
      const answer = await assign({ ...rest, ownerMembershipId: membershipId }, body)
      expect(outcome(answer)).toBe('201')
    }
  })

  test("is the same 403 for another member's, a non-member's and an unknown wallet", async () => {
    const { organization, owner } = await furnished()
    const { person: member, walletId: membersWallet } = await personWithWallet()
    const { walletId: strangersWallet } = await personWithWallet()
    await joinOrganization(service, organization, { role: 'employee', person: member })
    const { ownerMembershipId: membershipId } = organization
    for (const walletId of [membersWallet, strangersWallet, randomUUID()]) {
      const answer = await assign(organization, { membershipId, walletId, role: 'approver' })
      expect(outcome(answer)).toBe('403 forbidden')
    }
    expect((await membershipOf(service, organization, owner)).walletRoles).toEqual([])
  })

  test('is 403 for an unknown membership or one of another organization', async () => {
    const { organization, walletId } = await furnished()
    const other = await createOrganization(service, organization.owner)
    for (const membershipId of [randomUUID(), other.ownerMembershipId]) {
      const answer = await assign(organization, { membershipId, walletId, role: 'approver' })
      expect(outcome(answer)).toBe('403 forbidden')
    }
  })

  test('is 409 state_conflict for a revoked membership', async () => {
    const { organization } = await furnished()
    const { person, walletId } = await personWithWallet()
    await joinOrganization(service, organization, { role: 'employee', person })
    const { membershipId } = await membershipOf(service, organization, person)
    await revokeMember(service, organization, membershipId)
    const answer = await assign(organization, { membershipId, walletId, role: 'approver' })
    expect(outcome(answer)).toBe('409 state_conflict')
    expect((await membershipOf(service, organization, person)).walletRoles).toEqual([])
  })

  test('is 400 unsupported_chain for a Solana wallet', async () => {
    const owner = await service.signIn(undefined, [
      { address: SOLANA, kind: 'external', chainType: 'solana' },
    ])
    const organization = await createOrganization(service, owner)
    const { ownerMembershipId: membershipId } = organization
    const body = { membershipId, walletId: owner.walletIds[0], role: 'treasury_owner' }
    expect(outcome(await assign(organization, body))).toBe('400 unsupported_chain')
    expect((await membershipOf(service, organization, owner)).walletRoles).toEqual([])
  })

  test.each(['manager', 'employee'] as const)('is 403 role_required for a %s', async (role) => {
    const { organization, walletId } = await furnished()
    const { token } = await joinOrganization(service, organization, { role })
    const body = { membershipId: organization.ownerMembershipId, walletId, role: 'approver' }
    const answers = [
      await assign(organization, body, token),
      await withdraw(organization, randomUUID(), token),
    ]
    expect(tally(answers)).toEqual({ '403 role_required': 2 })
  })

  const bad: [string, Partial<Assignment> | Record<string, unknown>][] = [
    ['a malformed membership id', { membershipId: 'mine' }],
    ['a malformed wallet id', { walletId: 7 }],
    ['an unknown role', { role: 'owner' }],
    ['no role', { role: undefined }],
    ['an extra property', { active: true }],
  ]
  test.each(bad)('rejects %s with 400', async (_name, change) => {
    const { organization, walletId } = await furnished()
    const { ownerMembershipId: membershipId } = organization
    const body = { membershipId, walletId, role: 'approver', ...change }
    expect(outcome(await assign(organization, body))).toBe('400 validation_failed')
  })
})

describe('POST {org}/wallet-roles/{walletRoleId}/revoke', () => {
  const assigned = async (role: string) => {
    const { organization, walletId, address } = await furnished()
    const { ownerMembershipId: membershipId } = organization
    const { body } = await assign(organization, { membershipId, walletId, role })
    return { organization, walletId, address, role: body }
  }

  test('ends the role and names the approver that the policy on chain still lists', async () => {
    const { organization, address, role } = await assigned('approver')
    const { status, body } = await withdraw(organization, role.id)
    expect(status).toBe(200)
    expect(body).toEqual({ ...role, active: false, notices: [expect.stringContaining(address)] })
    const [owner] = await membersOf(service, organization)
    expect(owner?.walletRoles).toMatchObject([{ id: role.id, active: false }])
  })

  test('returns no notice about the chain for a treasury owner', async () => {
    const { organization, role } = await assigned('treasury_owner')
    const { status, body } = await withdraw(organization, role.id)
    expect(status).toBe(200)
    expect(body.notices).toEqual([])
  })

  test('is 409 state_conflict when repeated, also concurrently', async () => {
    const { organization, role } = await assigned('approver')
    const answers = await Promise.all(times(20, () => withdraw(organization, role.id)))
    expect(tally(answers)).toEqual({ 200: 1, '409 state_conflict': 19 })
    expect(outcome(await withdraw(organization, role.id))).toBe('409 state_conflict')
  })

  test('lets the wallet get the role again as a new record', async () => {
    const { organization, walletId, role } = await assigned('approver')
    await withdraw(organization, role.id)
    const { ownerMembershipId: membershipId } = organization
    const { status, body } = await assign(organization, {
      membershipId,
      walletId,
      role: 'approver',
    })
    expect(status).toBe(201)
    expect(body.id).not.toBe(role.id)
  })

  test('is 404 for an unknown role or one of another organization', async () => {
    const { organization } = await assigned('approver')
    const foreign = await assigned('approver')
    for (const id of [randomUUID(), foreign.role.id]) {
      expect(outcome(await withdraw(organization, id))).toBe('404 not_found')
    }
    const [owner] = await membersOf(service, foreign.organization)
    expect(owner?.walletRoles).toMatchObject([{ active: true }])
  })

  test('is 400 for a malformed id', async () => {
    const { organization } = await assigned('approver')
    expect(outcome(await withdraw(organization, 'mine'))).toBe('400 validation_failed')
  })
})
