/** What owners read of their organization's trail, and operators of the service's own. */
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  createOrganization,
  joinOrganization,
  type Organization,
  type Person,
  type TestApp,
} from '#test/support/app.ts'
import { type Operator, signInOperator } from '#test/support/operators.ts'
import { sharedTestApp } from '#test/support/shared-app.ts'
import { addRecipient, liftOwnersRowSecurity, outcome } from '#test/support/steps.ts'

let service: TestApp
let organization: Organization
let manager: Person
let operator: Operator
let recipientId: string

beforeAll(async () => {
  service = await sharedTestApp()
  await liftOwnersRowSecurity(service.database)
  organization = await createOrganization(service)
  manager = await joinOrganization(service, organization, { role: 'manager' })
  const added = await addRecipient(service, organization, { token: manager.token })
  recipientId = added.body.id
  await service.call('POST', `${organization.path}/recipients/${recipientId}/deactivate`, {
    token: organization.owner.token,
  })
  operator = await signInOperator(service)
  const url = `/v1/admin/organizations/${organization.id}`
  expect((await service.call('GET', url, { token: operator.token })).status).toBe(200)
  await service.database.asOwner(
    `insert into profiles (account_id, name, updated_at) values ($1, 'Ana Owner', now()),
       ($2, 'Max Manager', now()), ($3, 'Olga Operator', now())
     on conflict (account_id) do update set name = excluded.name`,
    [organization.owner.accountId, manager.accountId, operator.accountId],
  )
})

type Event = Record<string, unknown> & { id: string; sequence: number; action: string }

const read = (query = '', token = organization.owner.token) =>
  service.call('GET', `${organization.path}/audit-events${query}`, { token })

const eventsOf = async (query = ''): Promise<Event[]> => {
  const answer = await read(query)
  expect(answer.status).toBe(200)
  return answer.body.auditEvents
}

const actionsOf = async (query = '') => (await eventsOf(query)).map(({ action }) => action)

const stored = () =>
  service.database.asOwner<{ id: string; seq: number; hash: string; at: Date }>(
    `select id, seq::integer, '0x' || encode(hash, 'hex') as hash, occurred_at as at
     from audit_events where organization_id = $1 order by seq desc`,
    [organization.id],
  )

describe('GET audit-events', () => {
  test('shows every event of the organization, newest first, with names and hashes', async () => {
    const events = await eventsOf()
    expect(events.map(({ action }) => action)).toEqual([
      'operator.read',
      'recipient.deactivated',
      'recipient.added',
      'membership.created',
      'invitation.accepted',
      'invitation.created',
      'membership.created',
      'organization.created',
    ])
    const rows = await stored()
    expect(events.map(({ id, hash }) => [id, hash])).toEqual(rows.map(({ id, hash }) => [id, hash]))
    expect(events.map(({ sequence }) => sequence)).toEqual(rows.map(({ seq }) => seq))
    expect(events[2]).toMatchObject({
      actorRealm: 'consumer',
      actorAccountId: manager.accountId,
      displayName: 'Max Manager',
      aggregateType: 'recipient',
      aggregateId: recipientId,
      requestId: expect.any(String),
      data: { label: 'Acme Supplies' },
    })
  })

  test("shows what operators read, without the operator's name", async () => {
    expect(await eventsOf(`?actor=${operator.accountId}`)).toMatchObject([
      {
        action: 'operator.read',
        actorRealm: 'admin',
        actorAccountId: operator.accountId,
        displayName: null,
        data: { operation: 'getAdminOrganization' },
      },
    ])
  })

  test('filters by actor, action, aggregate and time, alone and together', async () => {
    expect(await actionsOf(`?actor=${manager.accountId}&action=recipient.added`)).toEqual([
      'recipient.added',
    ])
    expect(await actionsOf(`?actor=${manager.accountId.toUpperCase()}`)).toContain(
      'recipient.added',
    )
    expect(await actionsOf(`?aggregateId=${recipientId}`)).toEqual([
      'recipient.deactivated',
      'recipient.added',
    ])
    expect(await actionsOf('?action=membership.created')).toHaveLength(2)
    expect(await actionsOf('?action=expense.created')).toEqual([])
    expect(await actionsOf(`?actor=${randomUUID()}`)).toEqual([])
  })

  test('includes `from` and excludes `to`', async () => {
    const rows = await stored()
    const times = rows.map(({ at }) => at.toISOString())
    const [newest = ''] = times
    expect(await eventsOf(`?from=${newest}`)).toHaveLength(times.filter((t) => t === newest).length)
    expect(await eventsOf(`?to=${newest}`)).toHaveLength(times.filter((t) => t < newest).length)
    expect(await eventsOf('?from=0000-01-01T00:00:00Z&to=9999-12-31T23:59:59Z')).toHaveLength(
      rows.length,
    )
  })

  test('takes days as exports do: `from` at its beginning, `to` as a whole', async () => {
    const rows = await stored()
    const days = rows.map(({ at }) => at.toISOString().slice(0, 10))
    const [last = ''] = days
    expect(await eventsOf(`?from=${days.at(-1)}&to=${last}`)).toHaveLength(rows.length)
    expect(await eventsOf(`?to=${days.at(-1)}`)).not.toEqual([])
    expect(await eventsOf('?to=9999-12-31')).toHaveLength(rows.length)
    expect(await eventsOf('?to=2026-01-01')).toEqual([])
    expect(await eventsOf('?from=9999-12-31')).toEqual([])
  })

  test('pages without a gap or a repetition while events are added', async () => {
    const all = (await eventsOf()).map(({ id }) => id)
    const seen: string[] = []
    let cursor = ''
    for (;;) {
      const { body } = await read(`?limit=3${cursor && `&cursor=${cursor}`}`)
      seen.push(...body.auditEvents.map(({ id }: Event) => id))
      await addRecipient(service, organization)
      if (body.nextCursor === null) break
      cursor = body.nextCursor
    }
    expect(seen).toEqual(all)
    const filtered = await read('?limit=1&action=membership.created')
    const next = await read(`?limit=1&action=membership.created&cursor=${filtered.body.nextCursor}`)
    expect(next.body.auditEvents).toHaveLength(1)
    expect(next.body.nextCursor).toBeNull()
  })

  test('refuses other roles, other tenants and nobody', async () => {
    const employee = await joinOrganization(service, organization, { role: 'employee' })
    for (const { token } of [manager, employee]) {
      expect(outcome(await read('', token))).toBe('403 role_required')
    }
    const { owner } = await createOrganization(service)
    expect(outcome(await read('', owner.token))).toBe('403 forbidden')
    expect(outcome(await read('', operator.token))).toBe('403 realm_mismatch')
    const answer = await service.call('GET', `${organization.path}/audit-events`)
    expect(outcome(answer)).toBe('401 unauthenticated')
  })

  test.each([
    ['actor=nobody', 'actor'],
    ['action=Created', 'action'],
    ['action=recipient.added%27--', 'action'],
    ['aggregateId=a%20b', 'aggregateId'],
    ['from=yesterday', 'from'],
    ['to=2026-02-30T00:00:00Z', 'to'],
    ['limit=201', 'limit'],
    ['cursor=abc', 'cursor'],
    ['from=2026-02-02T00:00:00Z&to=2026-02-02T00:00:00Z', 'from'],
    ['from=2026-02-02&to=2026-02-01', 'from'],
  ])('refuses %s and names the parameter', async (query, name) => {
    const answer = await read(`?${query}`)
    expect(outcome(answer)).toBe('400 validation_failed')
    expect(answer.body.error.message).toContain(`\`${name}\``)
  })

  test("refuses another organization's cursor like one that never existed", async () => {
    const other = await createOrganization(service)
    const foreign = await service.call('GET', `${other.path}/audit-events?limit=1`, {
      token: other.owner.token,
    })
    const answers = [foreign.body.nextCursor, 'AAAAAAAAcACAAAAAAAAAAA'].map((cursor) =>
      read(`?cursor=${cursor}`),
    )
    for (const answer of await Promise.all(answers)) {
      expect(outcome(answer)).toBe('400 validation_failed')
      expect(answer.body.error.message).toContain('must be a cursor from an earlier answer')
    }
  })
})

describe('GET audit-head', () => {
  const head = () =>
    service.call('GET', `${organization.path}/audit-head`, { token: organization.owner.token })

  test('is the number, hash and time of the newest event, and reading it adds none', async () => {
    const before = await head()
    const [newest] = await stored()
    expect(before.body).toEqual({
      sequence: newest?.seq,
      hash: newest?.hash,
      at: newest?.at.toISOString(),
    })
    expect((await head()).body).toEqual(before.body)
    await addRecipient(service, organization)
    expect((await head()).body.sequence).toBe(before.body.sequence + 1)
  })
})

describe('GET /v1/admin/audit-events', () => {
  const ask = (query = '', token = operator.token) =>
    service.call('GET', `/v1/admin/audit-events${query}`, { token })

  test("shows the service's own trail, with the operators' names", async () => {
    const { status, body } = await ask(`?actor=${operator.accountId}`)
    expect(status).toBe(200)
    // Reading one organization is recorded in that organization's trail.
    expect(body.auditEvents.map(({ data }: Event) => data)).not.toContainEqual(
      expect.objectContaining({ operation: 'getAdminOrganization' }),
    )
    const again = await ask(`?actor=${operator.accountId}&action=operator.read`)
    expect(again.body.auditEvents[0]).toMatchObject({
      displayName: 'Olga Operator',
      actorRealm: 'admin',
      data: { operation: 'listAdminAuditEvents', actor: operator.accountId },
    })
  })

  test('shows no event of an organization', async () => {
    const ids = (await stored()).map(({ id }) => id)
    const { body } = await ask('?limit=200')
    expect(body.auditEvents.map(({ action }: Event) => action)).toContain('account.created')
    expect(body.auditEvents.filter(({ id }: Event) => ids.includes(id))).toEqual([])
  })

  test('pages on while its own reads are recorded', async () => {
    const first = await ask('?limit=2&action=account.created')
    const next = await ask(`?limit=2&action=account.created&cursor=${first.body.nextCursor}`)
    const ids = [...first.body.auditEvents, ...next.body.auditEvents].map(({ id }: Event) => id)
    expect(new Set(ids).size).toBe(4)
    expect(ids).toEqual(ids.toSorted().reverse())
  })

  test('refuses members, bad filters and cursors of organizations', async () => {
    expect(outcome(await ask('', organization.owner.token))).toBe('403 realm_mismatch')
    expect(outcome(await ask('?action=x'))).toBe('400 validation_failed')
    const { nextCursor } = (await read('?limit=1')).body
    expect(outcome(await ask(`?cursor=${nextCursor}`))).toBe('400 validation_failed')
  })
})
