import { beforeAll, describe, expect, test } from 'vitest'
import {
  createOrganization,
  joinOrganization,
  type Organization,
  type TestApp,
} from '#test/support/app.ts'
import { sharedTestApp } from '#test/support/shared-app.ts'
import {
  accept,
  addRecipient,
  auditTrail,
  invite,
  membershipOf,
  outcome,
  randomAddress,
  revokeMember,
  tally,
  times,
} from '#test/support/steps.ts'

const ROUNDS = 12

let service: TestApp

beforeAll(async () => {
  service = await sharedTestApp()
})

const trailOf = ({ id }: Organization) => auditTrail(service.database, id)

type Manager = Awaited<ReturnType<typeof newManager>>

async function newManager(organization: Organization) {
  const wallets = [{ address: randomAddress(), kind: 'embedded' as const }]
  const person = await service.signIn(undefined, wallets)
  await joinOrganization(service, organization, { role: 'manager', person })
  const { membershipId } = await membershipOf(service, organization, person)
  return { ...person, membershipId }
}

describe('revoking a member', { timeout: 60_000 }, () => {
  test('twenty times at once happens once', async () => {
    const organization = await createOrganization(service)
    const { membershipId } = await newManager(organization)
    const answers = await Promise.all(
      times(20, () => revokeMember(service, organization, membershipId)),
    )
    expect(tally(answers)).toEqual({ 200: 1, '409 state_conflict': 19 })
    const revoked = (await trailOf(organization)).filter(
      ({ action }) => action === 'membership.revoked',
    )
    expect(revoked).toMatchObject([{ aggregateId: membershipId }])
  })

  /** In half of the rounds a command finishes first, in the other half one starts later. */
  async function revokeAmid(organization: Organization, member: Manager, isLate: boolean) {
    const { token, membershipId } = member
    const command = (n: number) =>
      (n % 2 === 0 ? addRecipient : invite)(service, organization, { token })
    const commands = times(4, command)
    if (isLate) await Promise.race(commands)
    const revocation = await revokeMember(service, organization, membershipId)
    const afterwards = isLate ? [] : [command(0)]
    return { revocation, answers: await Promise.all([...commands, ...afterwards]) }
  }

  test('a command of the member commits before it or is refused', async () => {
    const organization = await createOrganization(service)
    for (let round = 0; round < ROUNDS; round += 1) {
      const member = await newManager(organization)
      const isLate = round % 2 === 0
      const { revocation, answers } = await revokeAmid(organization, member, isLate)
      expect(outcome(revocation)).toBe('200')
      const { 201: committed = 0, '403 forbidden': refused = 0, ...others } = tally(answers)
      expect(others).toEqual({})
      expect(isLate ? committed : refused).toBeGreaterThan(0)

      const trail = await trailOf(organization)
      const end = trail.find(
        ({ action, aggregateId }) =>
          action === 'membership.revoked' && aggregateId === member.membershipId,
      )
      const acts = trail.filter(
        ({ actorAccountId, action }) =>
          actorAccountId === member.accountId &&
          /^(recipient.added|invitation.created)$/.test(action),
      )
      expect(acts).toHaveLength(committed)
      for (const { seq } of acts) expect(seq).toBeLessThan(end?.seq ?? 0)
    }
  })

  test('leaves no open invitation of the member, whenever it was made', async () => {
    const organization = await createOrganization(service)
    for (let round = 0; round < 10; round += 1) {
      const { token, membershipId } = await newManager(organization)
      const [, ...answers] = await Promise.all([
        revokeMember(service, organization, membershipId),
        ...times(3, () => invite(service, organization, { token })),
      ])
      const issued = answers.filter(({ status }) => status === 201).map(({ body }) => body.id)
      const { body } = await service.call('GET', `${organization.path}/invitations?limit=200`, {
        token: organization.owner.token,
      })
      for (const { id, status } of body.invitations) {
        if (issued.includes(id)) expect(status).toBe('revoked')
      }
    }
  })

  test('and accepting an invitation of theirs: one of the two comes first', async () => {
    const organization = await createOrganization(service)
    for (let round = 0; round < 5; round += 1) {
      const { token, membershipId } = await newManager(organization)
      const { id, inviteToken } = (await invite(service, organization, { token })).body
      const newcomer = await service.signIn()
      const [revocation, joining] = await Promise.all([
        revokeMember(service, organization, membershipId),
        accept(service, newcomer, inviteToken),
      ])
      expect(outcome(revocation)).toBe('200')
      const trail = await trailOf(organization)
      const ends = trail.filter(
        ({ aggregateId, action }) => aggregateId === id && action !== 'invitation.created',
      )
      const expected = joining.status === 200 ? 'invitation.accepted' : 'invitation.revoked'
      expect(ends.map(({ action }) => action)).toEqual([expected])
      if (joining.status !== 200) expect(outcome(joining)).toBe('409 invitation_unusable')
    }
  })

  test('and giving them a wallet role at once leaves no active role behind', async () => {
    const organization = await createOrganization(service)
    for (let round = 0; round < 10; round += 1) {
      const person = await newManager(organization)
      const { membershipId, walletIds } = person
      const body = { membershipId, walletId: walletIds[0], role: 'approver' }
      const [revocation, assignment] = await Promise.all([
        revokeMember(service, organization, membershipId),
        service.call('POST', `${organization.path}/wallet-roles`, {
          token: organization.owner.token,
          body,
        }),
      ])
      expect(outcome(revocation)).toBe('200')
      expect(['201', '409 state_conflict']).toContain(outcome(assignment))
      const { walletRoles } = await membershipOf(service, organization, person)
      expect(walletRoles.filter(({ active }) => active)).toEqual([])
    }
  })

  test('needs no deadlock to be broken', async () => {
    const [counted] = await service.database.asOwner<{ deadlocks: number }>(
      'select deadlocks::integer from pg_stat_database where datname = current_database()',
    )
    expect(counted).toEqual({ deadlocks: 0 })
  })
})
