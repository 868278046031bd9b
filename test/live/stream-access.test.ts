/** Access to streams: who gets one, what it shows, and what ends it. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { buildApp } from '#app.ts'
import { revokeOperator, setAccountStatus } from '#identity/operators.ts'
import { addSeconds, systemClock } from '#platform/clock.ts'
import {
  createOrganization,
  type Organization,
  type Person,
  startTestApp,
  type TestApp,
} from '#test/support/app.ts'
import {
  joinUnseen,
  type LiveClient,
  openedLive,
  openLive,
  writeEvent,
  writeOwnEvent,
} from '#test/support/live.ts'

let service: TestApp
let acme: Organization
let other: Organization
let clockAhead = 0
const clients: LiveClient[] = []

beforeAll(async () => {
  service = await startTestApp({
    streams: { lifetimeMs: 600_000, checkMs: 50, perAccount: 3 },
    replace: { clock: { now: () => addSeconds(systemClock.now(), clockAhead) } },
  })
  acme = await createOrganization(service)
  other = await createOrganization(service)
})
afterAll(() => service.stop())
beforeEach(() => {
  clockAhead = 0
})
afterEach(() => {
  for (const client of clients.splice(0)) client.close()
})

const pathOf = ({ path }: Organization) => `${path}/live/stream`
const adminPath = '/v1/admin/live/stream'

async function follow(path: string, token: string, lastEventId?: string): Promise<LiveClient> {
  const from = lastEventId === undefined ? {} : { lastEventId }
  const client = await openedLive(service, path, { token, ...from })
  clients.push(client)
  return client
}
const idsOf = ({ messages }: LiveClient) => messages.map(({ data }) => data.id)

async function membershipOf(person: Person): Promise<string> {
  const { body } = await service.call('GET', `${acme.path}/members`, { token: acme.owner.token })
  const found = body.members.find(
    (member: { accountId: string; status: string }) =>
      member.accountId === person.accountId && member.status === 'active',
  )
  return found.membershipId
}

async function revoke(person: Person): Promise<void> {
  const path = `${acme.path}/members/${await membershipOf(person)}/revoke`
  const { status } = await service.call('POST', path, { token: acme.owner.token })
  expect(status).toBe(200)
}

describe('a stream is refused', () => {
  test('with 401 to non-members, non-operators and the other realm', async () => {
    const stranger = await service.signIn()
    const operator = await service.operatorToken()
    const admin = await service.identity.issue({ realm: 'admin', subject: 'nobody' })
    const refused: [string, string | undefined][] = [
      [pathOf(acme), undefined],
      [pathOf(acme), stranger.token],
      [pathOf(acme), other.owner.token],
      [pathOf(acme), operator],
      [adminPath, undefined],
      [adminPath, acme.owner.token],
      [adminPath, admin.accessToken],
    ]
    for (const [path, token] of refused) {
      const client = await openLive(service, path, token === undefined ? {} : { token })
      await client.ended()
      expect(client.status).toBe(401)
      expect(JSON.parse(client.text).error.code).toBe('unauthenticated')
    }
  })

  test('with 401 account_disabled to a disabled account', async () => {
    const person = await joinUnseen(service, acme, { role: 'manager' })
    await disable(person)
    const client = await openLive(service, pathOf(acme), { token: person.token })
    await client.ended()
    expect(client.status).toBe(401)
    expect(JSON.parse(client.text).error.code).toBe('account_disabled')
  })
})

const disable = ({ accountId }: Person) =>
  setAccountStatus(service.ctx, { accountId, event: 'disable' })

describe('a stream shows', () => {
  test('only its own organization, both when catching up and live', async () => {
    const [mine, theirs] = [
      await follow(pathOf(acme), acme.owner.token),
      await follow(pathOf(other), other.owner.token),
    ]
    const own = [await writeEvent(service, acme.id)]
    const foreign = [await writeEvent(service, other.id)]
    await writeEvent(service, null)
    await writeEvent(service, acme.id, { audience: 'admin' })
    own.push(await writeEvent(service, acme.id, { audience: 'consumer' }))
    foreign.push(await writeEvent(service, other.id))
    expect(await mine.received(2)).toEqual(own)
    expect(await theirs.received(2)).toEqual(foreign)
    const again = await follow(pathOf(acme), acme.owner.token, mine.messages[0]?.id)
    expect(await again.received(1)).toEqual(own.slice(1))
  })

  test('employees their own resources and integrations, and managers everything', async () => {
    const employee = await joinUnseen(service, acme, { role: 'employee' })
    const manager = await joinUnseen(service, acme, { role: 'manager' })
    const [few, all] = [
      await follow(pathOf(acme), employee.token),
      await follow(pathOf(acme), manager.token),
    ]
    const begin = few.lastId
    const events = [
      await writeEvent(service, acme.id),
      await writeOwnEvent(service, acme.id, employee.accountId),
      await writeOwnEvent(service, acme.id, manager.accountId),
      await writeEvent(service, acme.id, { kind: 'service.changed', aggregateType: 'service' }),
      await writeOwnEvent(service, acme.id, employee.accountId),
    ]
    const own = [events[1], events[3], events[4]]
    expect(await all.received(5)).toEqual(events)
    expect(await few.received(3)).toEqual(own)
    expect(idsOf(await follow(pathOf(acme), employee.token, begin))).toEqual(own)
  })

  test('the view of a new role after a reset', async () => {
    const person = await joinUnseen(service, acme, { role: 'manager' })
    const client = await follow(pathOf(acme), person.token)
    const seen = [await writeEvent(service, acme.id)]
    await client.received(1)
    await setRole(person, 'employee')
    await expect.poll(() => client.messages.at(-1)?.event).toBe('stream.reset')
    expect(client.messages.at(-1)?.data.code).toBe('role_changed')
    await writeEvent(service, acme.id)
    seen.push(await writeOwnEvent(service, acme.id, person.accountId))
    await client.received(3)
    await setRole(person, 'manager')
    await expect.poll(() => client.messages.at(-1)?.event).toBe('stream.reset')
    seen.push(await writeEvent(service, acme.id))
    await client.received(5)
    const events = client.messages.filter(({ event }) => event !== 'stream.reset')
    expect(events.map(({ data }) => data.id)).toEqual(seen)
  })
})

/** Revokes a member who returns in another role between two checks. */
const setRole = ({ accountId }: Person, role: 'manager' | 'employee') =>
  service.database.asOwner(`begin;
    alter table memberships no force row level security;
    update memberships set role = '${role}' where account_id = '${accountId}';
    alter table memberships force row level security;
    commit`)

describe('a stream ends', () => {
  async function expectEnd(client: LiveClient, why: string): Promise<void> {
    await client.ended()
    expect(client.comments.at(-1)).toBe(`end: ${why}`)
    const before = client.messages.length
    await writeEvent(service, acme.id)
    expect(client.messages).toHaveLength(before)
  }

  test('when the membership is revoked, and the others go on', async () => {
    const person = await joinUnseen(service, acme, { role: 'manager' })
    const client = await follow(pathOf(acme), person.token)
    const owners = await follow(pathOf(acme), acme.owner.token)
    await revoke(person)
    await expectEnd(client, 'access')
    await owners.received(1)
    expect(owners.isEnded).toBe(false)
  })

  test('when the account is disabled', async () => {
    const person = await joinUnseen(service, acme, { role: 'manager' })
    const client = await follow(pathOf(acme), person.token)
    await disable(person)
    await expectEnd(client, 'access')
  })

  test('when the operator is revoked', async () => {
    const subject = 'operator-to-be-revoked'
    const client = await follow(adminPath, await service.operatorToken(subject))
    await revokeOperator(service.ctx, subject)
    await expectEnd(client, 'access')
  })

  test('when its token expires', async () => {
    const { subject } = acme.owner
    const { accessToken } = await service.identity.issue({
      realm: 'consumer',
      subject,
      expiresIn: 120,
    })
    const [short, long] = [
      await follow(pathOf(acme), accessToken),
      await follow(pathOf(acme), acme.owner.token),
    ]
    clockAhead = 121
    await expectEnd(short, 'token')
    await long.received(1)
    expect(long.isEnded).toBe(false)
  })

  test('when the account opens one too many: the oldest, of this account and realm', async () => {
    const person = await joinUnseen(service, acme, { role: 'manager' })
    const owners = await follow(pathOf(acme), acme.owner.token)
    const opened: LiveClient[] = []
    for (let n = 0; n < 4; n += 1) opened.push(await follow(pathOf(acme), person.token))
    const [oldest, ...rest] = opened
    await oldest?.ended()
    expect(oldest?.comments.at(-1)).toBe('end: replaced')
    const id = await writeEvent(service, acme.id)
    for (const client of [...rest, owners]) expect(await client.received(1)).toEqual([id])
  })

  test('when it opens one too many in another process', async () => {
    const person = await joinUnseen(service, acme, { role: 'manager' })
    const second = { ...service, app: await buildApp(service.api) }
    try {
      const [oldest, next] = [
        await follow(pathOf(acme), person.token),
        await follow(pathOf(acme), person.token),
      ]
      for (let n = 0; n < 2; n += 1) {
        clients.push(await openedLive(second, pathOf(acme), { token: person.token }))
      }
      await expectEnd(oldest, 'replaced')
      expect(next.isEnded).toBe(false)
      for (const client of clients.splice(0)) client.close()
      await expect
        .poll(() => service.database.asOwner('select 1 from open_streams'))
        .toHaveLength(0)
    } finally {
      await second.app.close()
    }
  })
})

test("an operator's stream is audited, a member's is not", async () => {
  const count = async () => {
    const [row] = await service.database.asOwner<{ count: string }>(
      `select count(*) from audit_events where action = 'operator.read'
         and organization_id is null and data->>'operation' = 'streamAdminLive'`,
    )
    return Number(row?.count)
  }
  const before = await count()
  await follow(pathOf(acme), acme.owner.token)
  expect(await count()).toBe(before)
  await follow(adminPath, await service.operatorToken())
  expect(await count()).toBe(before + 1)
})
