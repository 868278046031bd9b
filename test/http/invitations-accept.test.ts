import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { setAccountStatus } from '#identity/operators.ts'
import { expireInvitation } from '#organizations/invitations.ts'
import {
  createOrganization,
  joinOrganization,
  type Organization,
  startTestApp,
  type TestApp,
} from '#test/support/app.ts'
import { reportFigures } from '#test/support/figures.ts'
import {
  accept,
  auditTrail,
  invite,
  membershipOf,
  membersOf,
  outcome,
  tally,
  times,
} from '#test/support/steps.ts'

const WEEK_MS = 7 * 24 * 60 * 60 * 1000

const clock = { at: Date.now(), now: () => new Date(clock.at) }
let service: TestApp

beforeAll(async () => {
  service = await startTestApp({ replace: { clock } })
})
afterAll(() => service.stop())

/** Tokens expire within the hour, so an existing person signs in again. */
const again = ({ subject }: { subject: string }) => service.signIn(subject)

const list = async ({ path, owner }: Organization) => {
  const { token } = await again(owner)
  return (await service.call('GET', `${path}/invitations`, { token })).body.invitations
}

const revoke = ({ path, owner }: Organization, id: string, token = owner.token) =>
  service.call('POST', `${path}/invitations/${id}/revoke`, { token })

const invited = async (organization: Organization, role = 'employee') =>
  (await invite(service, organization, { role })).body as { id: string; inviteToken: string }

describe('POST /v1/consumer/invitations/{token}/accept', () => {
  test('the invitation of somebody whose account was disabled is unusable', async () => {
    const organization = await createOrganization(service)
    const { inviteToken } = await invited(organization)
    const accountId = organization.owner.accountId
    await setAccountStatus(service.ctx, { accountId, event: 'disable' })
    const refused = await accept(service, await service.signIn(), inviteToken)
    expect(outcome(refused)).toBe('409 invitation_unusable')
    await setAccountStatus(service.ctx, { accountId, event: 'enable' })
    expect(outcome(await accept(service, await service.signIn(), inviteToken))).toBe('200')
  })

  test.each(['manager', 'employee'] as const)('joins as %s', async (role) => {
    const organization = await createOrganization(service)
    const { id, inviteToken } = await invited(organization, role)
    const person = await service.signIn()
    const { status, body } = await accept(service, person, inviteToken)
    expect(status).toBe(200)
    expect(body).toEqual({ organizationId: organization.id, organizationName: 'Acme', role })
    const member = await membershipOf(service, organization, person)
    expect(member).toMatchObject({ role, status: 'active' })
    const trail = await auditTrail(service.database, organization.id)
    expect(trail.slice(-2)).toMatchObject([
      {
        action: 'invitation.accepted',
        aggregateId: id,
        actorAccountId: person.accountId,
        data: { membershipId: member.membershipId },
      },
      { action: 'membership.created', aggregateId: member.membershipId, data: { role } },
    ])
  })

  test('a token that cannot be used gives the same answer, whatever the reason', async () => {
    const organization = await createOrganization(service)
    const person = await service.signIn()
    const used = await invited(organization)
    await accept(service, await service.signIn(), used.inviteToken)
    const revoked = await invited(organization)
    await revoke(organization, revoked.id)
    const forMembers = await invited(organization)
    const member = await joinOrganization(service, organization, { role: 'employee' })

    const tries: [string, string, string][] = [
      ['unknown', person.token, 'A'.repeat(43)],
      ['of another shape', person.token, 'x'],
      ['very long', person.token, 'x'.repeat(2000)],
      ['used', person.token, used.inviteToken],
      ['revoked', person.token, revoked.inviteToken],
      ['in another case', person.token, forMembers.inviteToken.toUpperCase()],
      ['used by a member', member.token, forMembers.inviteToken],
      ['used by the owner', organization.owner.token, forMembers.inviteToken],
    ]
    const headers = { 'x-request-id': 'same' }
    const answers = []
    for (const [, token, inviteToken] of tries) {
      const url = `/v1/consumer/invitations/${inviteToken}/accept`
      answers.push(await service.call('POST', url, { token, headers }))
    }
    expect(tally(answers)).toEqual({ '409 invitation_unusable': tries.length })
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    const sizes = answers.map((answer) => Object.keys(answer.headers).length)
    expect(new Set(sizes).size).toBe(1)
    // A member's attempt does not use up the invitation.
    expect(outcome(await accept(service, person, forMembers.inviteToken))).toBe('200')
  })

  test('an expired token is that same answer', async () => {
    const organization = await createOrganization(service)
    const { inviteToken } = await invited(organization)
    const headers = { 'x-request-id': 'same' }
    clock.at += WEEK_MS
    const { token } = await service.signIn()
    const tryToken = (inviteTo: string) =>
      service.call('POST', `/v1/consumer/invitations/${inviteTo}/accept`, { token, headers })
    const [expired, unknown] = [await tryToken(inviteToken), await tryToken('unknown')]
    expect(outcome(expired)).toBe('409 invitation_unusable')
    expect(expired.text).toBe(unknown.text)
  })

  test('without a token it is 401; an operator is 401, since the row declares no 403', async () => {
    const organization = await createOrganization(service)
    const { inviteToken } = await invited(organization)
    const url = `/v1/consumer/invitations/${inviteToken}/accept`
    const token = await service.operatorToken()
    const answers = [await service.call('POST', url), await service.call('POST', url, { token })]
    expect(tally(answers)).toEqual({ '401 unauthenticated': 2 })
    expect(await list(organization)).toMatchObject([{ status: 'open' }])
  })

  test('fifty accounts race for one token: exactly one joins', async () => {
    const organization = await createOrganization(service)
    const { inviteToken } = await invited(organization)
    const people = await Promise.all(times(50, () => service.signIn()))
    const answers = await Promise.all(people.map((p) => accept(service, p, inviteToken)))
    reportFigures({ raced: people.length, raceAccepts: tally(answers)[200] ?? 0 })
    expect(tally(answers)).toEqual({ 200: 1, '409 invitation_unusable': 49 })
    const members = await membersOf(service, organization)
    const winner = people[answers.findIndex(({ status }) => status === 200)]
    expect(members.map(({ accountId }) => accountId)).toEqual([
      winner?.accountId,
      organization.owner.accountId,
    ])
  })

  test('one account with two tokens at once joins once', async () => {
    const organization = await createOrganization(service)
    const tokens = [await invited(organization, 'manager'), await invited(organization)]
    const person = await service.signIn()
    const answers = await Promise.all(
      tokens.map(({ inviteToken }) => accept(service, person, inviteToken)),
    )
    expect(tally(answers)).toEqual({ 200: 1, '409 invitation_unusable': 1 })
    expect(await membersOf(service, organization)).toHaveLength(2)
    const states = (await list(organization)).map(({ status }: { status: string }) => status)
    expect(states.toSorted()).toEqual(['accepted', 'open'])
  })

  test('accepting and revoking at once: exactly one of them wins', async () => {
    const organization = await createOrganization(service)
    for (let round = 0; round < 10; round += 1) {
      const { id, inviteToken } = await invited(organization)
      const person = await service.signIn()
      const [joined, revoked] = await Promise.all([
        accept(service, person, inviteToken),
        revoke(organization, id),
      ])
      expect([
        ['200', '409 state_conflict'],
        ['409 invitation_unusable', '200'],
      ]).toContainEqual([outcome(joined), outcome(revoked)])
    }
  })

  test('the eleventh try in a minute is 429 with Retry-After, other calls are not', async () => {
    const person = await service.signIn()
    const me = () => service.call('GET', '/v1/consumer/me', { token: person.token })
    for (let count = 0; count < 12; count += 1) expect(outcome(await me())).toBe('200')
    const answers = await Promise.all(times(10, () => accept(service, person, randomUUID())))
    expect(tally(answers)).toEqual({ '409 invitation_unusable': 10 })

    const organization = await createOrganization(service)
    const { inviteToken } = await invited(organization)
    const limited = await accept(service, person, inviteToken)
    expect(outcome(limited)).toBe('429 rate_limited')
    expect(Number(limited.headers['retry-after'])).toBeGreaterThan(0)
    expect(Number(limited.headers['retry-after'])).toBeLessThanOrEqual(60)
    expect(outcome(await me())).toBe('200')
    const other = await service.signIn()
    expect(outcome(await accept(service, other, inviteToken))).toBe('200')
  })
})

describe('the end of an invitation', () => {
  test('it is open until its last millisecond, and expired from then on', async () => {
    const organization = await createOrganization(service)
    const { id, inviteToken } = await invited(organization)
    const { id: second } = await invited(organization)
    clock.at += WEEK_MS - 1
    expect(await list(organization)).toMatchObject([{ status: 'open' }, { status: 'open' }])
    const early = await service.signIn()
    expect(outcome(await accept(service, early, inviteToken))).toBe('200')
    clock.at += 1
    expect(await list(organization)).toMatchObject([
      { id: second, status: 'expired' },
      { id, status: 'accepted' },
    ])
  })

  test('an expired one cannot be revoked, and makes room before the job has run', async () => {
    const organization = await createOrganization(service)
    const made = []
    for (let count = 0; count < 20; count += 1) made.push(await invited(organization))
    clock.at += WEEK_MS
    const owner = await again(organization.owner)
    const late = await revoke({ ...organization, owner }, made[0]?.id ?? '')
    expect(outcome(late)).toBe('409 state_conflict')
    expect(outcome(await invite(service, { ...organization, owner }))).toBe('201')
  })

  test('the job is due at the end, closes it once and writes it down', async () => {
    const organization = await createOrganization(service)
    const { id: organizationId } = organization
    const { id: invitationId } = await invited(organization)
    const jobs = await service.database.asOwner<{ payload: unknown; at: Date }>(
      `select p.payload, p.run_at as at from graphile_worker._private_jobs p
       join graphile_worker._private_tasks t on t.id = p.task_id
       where t.identifier = 'expire_invitation' and p.payload ->> 'invitationId' = $1`,
      [invitationId],
    )
    expect(jobs.map(({ payload }) => payload)).toEqual([
      { organizationId, invitationId, sourceRequestId: expect.any(String) },
    ])
    expect(jobs[0]?.at.getTime()).toBe(clock.at + WEEK_MS)

    clock.at += WEEK_MS
    for (let count = 0; count < 2; count += 1) {
      await expireInvitation(service.ctx, { organizationId, invitationId })
    }
    const trail = await auditTrail(service.database, organizationId)
    const ends = trail.filter(({ action }) => action === 'invitation.expired')
    expect(ends).toMatchObject([
      { aggregateId: invitationId, actorRealm: 'system', actorAccountId: null },
    ])
    expect(await list(organization)).toMatchObject([{ status: 'expired' }])
  })

  test('the job leaves one that was accepted or revoked alone', async () => {
    const organization = await createOrganization(service)
    const [used, revoked] = [await invited(organization), await invited(organization)]
    const person = await service.signIn()
    await accept(service, person, used.inviteToken)
    await revoke(organization, revoked.id)
    const { id: organizationId } = organization
    for (const { id: invitationId } of [used, revoked, { id: randomUUID() }]) {
      await expireInvitation(service.ctx, { organizationId, invitationId })
    }
    expect(await list(organization)).toMatchObject([{ status: 'revoked' }, { status: 'accepted' }])
    expect(await membershipOf(service, organization, person)).toMatchObject({ status: 'active' })
  })
})
