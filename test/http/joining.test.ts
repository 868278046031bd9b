/** `ORGANIZATION_JOIN=owner_confirms`: somebody invited by a manager waits for an owner. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  createOrganization,
  joinOrganization,
  type Organization,
  type Person,
  startTestApp,
  type TestApp,
} from '#test/support/app.ts'
import {
  accept,
  auditTrail,
  invite,
  membersOf,
  outcome,
  revokeMember,
} from '#test/support/steps.ts'

let service: TestApp
let organization: Organization
let manager: Person

beforeAll(async () => {
  service = await startTestApp({ env: { ORGANIZATION_JOIN: 'owner_confirms' } })
})
afterAll(() => service.stop())
beforeEach(async () => {
  organization = await createOrganization(service)
  manager = await joinOrganization(service, organization, { role: 'manager' })
})

/** Invited by the manager and accepted. */
async function joinByManager() {
  const invited = await invite(service, organization, { token: manager.token })
  const person = await service.signIn()
  const accepted = await accept(service, person, invited.body.inviteToken)
  return { person, accepted }
}

const pendingOf = async (token = organization.owner.token) =>
  service.call('GET', `${organization.path}/pending-members`, { token })

const confirm = (membershipId: string, token = organization.owner.token) =>
  service.call('POST', `${organization.path}/members/${membershipId}/confirm`, { token })

const onlyPending = async (): Promise<string> => {
  const { body } = await pendingOf()
  expect(body.pendingMembers).toHaveLength(1)
  return body.pendingMembers[0].membershipId
}

describe("a person who accepts a manager's invitation", () => {
  test('is pending, sees that status and has no other access', async () => {
    const { person, accepted } = await joinByManager()
    expect(accepted.body).toEqual({
      organizationId: organization.id,
      organizationName: 'Acme',
      role: 'employee',
      status: 'pending',
    })
    const { token } = person
    for (const path of ['members', 'overview', 'expenses', 'recipients', 'live/snapshot']) {
      const answer = await service.call('GET', `${organization.path}/${path}`, { token })
      expect(outcome(answer), path).toBe('403 forbidden')
    }
    const me = await service.call('GET', '/v1/consumer/me', { token })
    expect(me.body.memberships).toEqual([])
    expect(me.body.pendingMemberships).toEqual([
      {
        id: await onlyPending(),
        organizationId: organization.id,
        organizationName: 'Acme',
        role: 'employee',
      },
    ])
    const listed = await service.call('GET', '/v1/consumer/organizations', { token })
    expect(listed.body.organizations).toEqual([])
    const members = await membersOf(service, organization)
    expect(members.map(({ accountId }) => accountId)).not.toContain(person.accountId)
  })

  test('cannot accept another invitation meanwhile', async () => {
    const { person } = await joinByManager()
    const again = await invite(service, organization)
    const answer = await accept(service, person, again.body.inviteToken)
    expect(outcome(answer)).toBe('409 invitation_unusable')
  })

  test('gets no wallet role', async () => {
    const membershipId = (await joinByManager()) && (await onlyPending())
    const answer = await service.call('POST', `${organization.path}/wallet-roles`, {
      token: organization.owner.token,
      body: { membershipId, walletId: membershipId, role: 'approver' },
    })
    expect(outcome(answer)).toBe('409 state_conflict')
  })

  test('is a task for the owner only', async () => {
    await joinByManager()
    const membershipId = await onlyPending()
    const tasksOf = async (token: string) =>
      (await service.call('GET', `${organization.path}/live/snapshot`, { token })).body.tasks
    expect(await tasksOf(organization.owner.token)).toMatchObject([
      { aggregateType: 'integration', aggregateId: membershipId, group: 'needs_action' },
    ])
    expect(await tasksOf(manager.token)).toEqual([])
  })

  test('becomes a member when an owner confirms', async () => {
    const { person } = await joinByManager()
    const membershipId = await onlyPending()
    const confirmed = await confirm(membershipId)
    expect(confirmed.body).toMatchObject({ membershipId, status: 'active', role: 'employee' })
    const seen = await service.call('GET', `${organization.path}/overview`, { token: person.token })
    expect(seen.status).toBe(200)
    expect((await pendingOf()).body.pendingMembers).toEqual([])
    expect((await auditTrail(service.database, organization.id)).at(-1)).toMatchObject({
      action: 'membership.confirmed',
      aggregateId: membershipId,
      actorAccountId: organization.owner.accountId,
    })
    expect(outcome(await confirm(membershipId))).toBe('409 state_conflict')
  })

  test('is declined by revocation and cannot be confirmed afterwards', async () => {
    const { person } = await joinByManager()
    const membershipId = await onlyPending()
    expect((await revokeMember(service, organization, membershipId)).status).toBe(200)
    expect(outcome(await confirm(membershipId))).toBe('409 state_conflict')
    const seen = await service.call('GET', `${organization.path}/overview`, { token: person.token })
    expect(outcome(seen)).toBe('403 forbidden')
  })

  test('is confirmed once when two owners confirm concurrently', async () => {
    await joinByManager()
    const membershipId = await onlyPending()
    const answers = await Promise.all([confirm(membershipId), confirm(membershipId)])
    expect(answers.map(outcome).sort()).toEqual(['200', '409 state_conflict'])
  })
})

describe('confirming', () => {
  test.each(['manager', 'employee', 'the pending member'])('is refused for %s', async (who) => {
    const { person } = await joinByManager()
    const membershipId = await onlyPending()
    const employee = await joinOrganization(service, organization, { role: 'employee' })
    const { token } = { manager, employee, 'the pending member': person }[who] ?? person
    const code = who === 'the pending member' ? 'forbidden' : 'role_required'
    expect(outcome(await confirm(membershipId, token))).toBe(`403 ${code}`)
    expect(outcome(await pendingOf(token))).toBe(`403 ${code}`)
  })

  test('is 404 for a membership of another organization', async () => {
    await joinByManager()
    const membershipId = await onlyPending()
    const other = await createOrganization(service)
    const answer = await service.call('POST', `${other.path}/members/${membershipId}/confirm`, {
      token: other.owner.token,
    })
    expect(outcome(answer)).toBe('404 not_found')
  })
})

test('a member invited by an owner is active without confirmation', async () => {
  const person = await joinOrganization(service, organization, { role: 'employee' })
  const seen = await service.call('GET', `${organization.path}/overview`, { token: person.token })
  expect(seen.status).toBe(200)
  expect((await pendingOf()).body.pendingMembers).toEqual([])
})
