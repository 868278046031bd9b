/** Audit events outside any organization (sessions, wallets, operators), and live events. */
import { randomUUID } from 'node:crypto'
import { getAddress } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { setAccountStatus } from '#identity/operators.ts'
import {
  createOrganization,
  joinOrganization,
  startTestApp,
  type TestApp,
} from '#test/support/app.ts'
import {
  type AuditEvent,
  addRecipient,
  auditTrail,
  freshKey,
  invite,
  membershipOf,
  outcome,
  randomAddress,
  revokeMember,
} from '#test/support/steps.ts'

let service: TestApp

beforeAll(async () => {
  service = await startTestApp()
})
afterAll(() => service.stop())

async function newEvents(during: () => Promise<unknown>): Promise<AuditEvent[]> {
  const before = await auditTrail(service.database, null)
  await during()
  return auditTrail(service.database, null, { afterSeq: before.length })
}

const openSession = async (subject: string, addresses: readonly string[]) => {
  const wallets = addresses.map((address) => ({ address, kind: 'external' as const }))
  const issued = await service.identity.issue({ realm: 'consumer', subject, wallets })
  return service.call('PUT', '/v1/consumer/session', {
    token: issued.accessToken,
    body: { identityToken: issued.identityToken },
    headers: { 'x-request-id': `of-${subject}` },
  })
}

type LiveRow = {
  kind: string
  aggregateId: string
  organizationId: string | null
  code: string | null
}

const liveEvents = () =>
  service.database.asOwner<LiveRow>(
    `select kind, aggregate_type as "aggregateType", aggregate_id as "aggregateId",
       organization_id as "organizationId", audience, target_state as "targetState", severity, code
     from live_events order by seq`,
  )

describe('PUT /v1/consumer/session', () => {
  test('records a new account and each new wallet with the actor', async () => {
    const subject = randomUUID()
    const address = randomAddress()
    const events = await newEvents(() => openSession(subject, [address]))
    const { account, wallets } = (await openSession(subject, [address])).body
    const common = {
      seq: expect.any(Number),
      actorRealm: 'consumer',
      actorAccountId: account.id,
      requestId: `of-${subject}`,
    }
    expect(events).toEqual([
      {
        ...common,
        action: 'account.created',
        aggregateType: 'account',
        aggregateId: account.id,
        data: { realm: 'consumer', issuer: expect.any(String), subject },
      },
      {
        ...common,
        action: 'wallet.linked',
        aggregateType: 'wallet',
        aggregateId: wallets[0].id,
        data: {
          ...{ accountId: account.id, chainType: 'ethereum', kind: 'external' },
          address: getAddress(address),
        },
      },
    ])
    expect(wallets[0].address).toBe(getAddress(address))
  })

  test('records nothing when repeated, and only the new wallet when one is added', async () => {
    const subject = randomUUID()
    const [first, second] = [randomAddress(), randomAddress()]
    await openSession(subject, [first])
    expect(await newEvents(() => openSession(subject, [first]))).toEqual([])
    const events = await newEvents(() => openSession(subject, [first, second]))
    const address = getAddress(second)
    expect(events).toMatchObject([{ action: 'wallet.linked', data: { address } }])
  })

  test('records nothing when it is refused', async () => {
    const taken = randomAddress()
    await openSession(randomUUID(), [taken])
    const live = (await liveEvents()).length
    const events = await newEvents(async () => {
      const answer = await openSession(randomUUID(), [randomAddress(), taken])
      expect(outcome(answer)).toBe('409 wallet_conflict')
    })
    expect(events).toEqual([])
    expect(await liveEvents()).toHaveLength(live)
  })

  test('creates no account or wallet when its live event cannot be written', async () => {
    await service.database.asOwner(`
      create function sabotage() returns trigger language plpgsql
      as $$ begin raise exception 'the disk is gone'; end $$`)
    await service.database.asOwner(`create trigger sabotage before insert on live_events
      for each row execute function sabotage()`)
    const subject = randomUUID()
    const address = randomAddress()
    const events = await newEvents(async () => {
      expect(outcome(await openSession(subject, [address]))).toBe('500 internal')
    })
    await service.database.asOwner('drop function sabotage() cascade')
    expect(events).toEqual([])
    expect(outcome(await openSession(randomUUID(), [address]))).toBe('200')
    const made = await service.database.asOwner('select from accounts where subject = $1', [
      subject,
    ])
    expect(made).toEqual([])
  })
})

describe('disabling an account', () => {
  test('is recorded once, with the system as actor', async () => {
    const { accountId, subject } = await service.signIn()
    const events = await newEvents(async () => {
      for (const event of ['disable', 'disable', 'enable', 'enable'] as const) {
        await setAccountStatus(service.ctx, { accountId, event })
      }
    })
    const common = { actorRealm: 'system', actorAccountId: null, data: { subject } }
    expect(events).toMatchObject([
      { action: 'account.disabled', aggregateId: accountId, ...common },
      { action: 'account.enabled', aggregateId: accountId, ...common },
    ])
  })
})

describe('reads and replays', () => {
  test('record nothing', async () => {
    const organization = await createOrganization(service)
    const { path, owner } = organization
    const headers = freshKey()
    await invite(service, organization, { headers })
    const operator = await service.operatorToken()
    const trail = await auditTrail(service.database, organization.id)
    const events = await newEvents(async () => {
      for (const url of [`${path}/members`, `${path}/recipients`, `${path}/invitations`]) {
        expect(outcome(await service.call('GET', url, { token: owner.token }))).toBe('200')
      }
      const own = ['/v1/consumer/me', '/v1/consumer/organizations']
      for (const url of own) await service.call('GET', url, { token: owner.token })
      await service.call('GET', '/v1/admin/me', { token: operator })
      await service.call('PUT', '/v1/admin/session', { token: operator })
      const replay = await invite(service, organization, { headers })
      expect(replay.headers['idempotent-replayed']).toBe('true')
    })
    expect(events).toEqual([])
    expect(await auditTrail(service.database, organization.id)).toEqual(trail)
  })
})

describe('live events', () => {
  test('announce linked wallets, members, invitations, recipients and roles', async () => {
    const before = (await liveEvents()).length
    const wallets = [
      { address: randomAddress(), kind: 'embedded' as const },
      { address: randomAddress(), kind: 'external' as const },
    ]
    const owner = await service.signIn(undefined, wallets)
    const organization = await createOrganization(service, owner)
    const { path, ownerMembershipId: membershipId } = organization
    const manager = await joinOrganization(service, organization, { role: 'manager' })
    const { body: recipient } = await addRecipient(service, organization)
    const { token } = owner
    await service.call('POST', `${path}/recipients/${recipient.id}/deactivate`, { token })
    const body = { membershipId, walletId: owner.walletIds[0], role: 'approver' }
    const { body: role } = await service.call('POST', `${path}/wallet-roles`, { token, body })
    await service.call('POST', `${path}/wallet-roles/${role.id}/revoke`, { token })
    const member = await membershipOf(service, organization, manager)
    await revokeMember(service, organization, member.membershipId)

    expect(await auditTrail(service.database, organization.id)).toHaveLength(10)
    const events = (await liveEvents()).slice(before)
    const linked = (aggregateId: string) => ({
      kind: 'integration.changed',
      aggregateType: 'integration',
      aggregateId,
      organizationId: null,
      audience: 'admin',
      targetState: 'active',
      severity: 'healthy',
      code: 'wallet_linked',
    })
    expect(events.slice(0, 2)).toEqual(owner.walletIds.map(linked))
    for (const event of events.slice(2)) {
      expect(event).toMatchObject({
        kind: 'integration.changed',
        organizationId: organization.id,
        audience: 'both',
      })
    }
    expect(events.slice(2).map(({ code }) => code)).toEqual([
      ...['invitation_created', 'invitation_accepted', 'member_joined'],
      ...['recipient_created', 'recipient_deactivated'],
      ...['wallet_role_assigned', 'wallet_role_revoked', 'member_revoked'],
    ])
  })
})
