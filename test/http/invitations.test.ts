import { createHash, randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  type Answer,
  createOrganization,
  joinOrganization,
  type Organization,
  type TestApp,
} from '#test/support/app.ts'
import { sharedTestApp } from '#test/support/shared-app.ts'
import {
  accept,
  freshKey,
  invite,
  liftOwnersRowSecurity,
  outcome,
  tally,
  times,
} from '#test/support/steps.ts'

const WEEK_MS = 7 * 24 * 60 * 60 * 1000

let service: TestApp

beforeAll(async () => {
  service = await sharedTestApp()
})

const list = ({ path, owner }: Organization, token = owner.token, query = '') =>
  service.call('GET', `${path}/invitations${query}`, { token })

const revoke = ({ path, owner }: Organization, id: string, token = owner.token) =>
  service.call('POST', `${path}/invitations/${id}/revoke`, { token })

describe('POST {org}/invitations', () => {
  test.each(['manager', 'employee'] as const)('lets an owner grant the role %s', async (role) => {
    const organization = await createOrganization(service)
    const before = Date.now()
    const { status, body, headers } = await invite(service, organization, { role })
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.any(String),
      organizationId: organization.id,
      role,
      // 256 random bits.
      inviteToken: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
      expiresAt: expect.any(String),
    })
    expect(headers['idempotent-replayed']).toBeUndefined()
    const expires = Date.parse(body.expiresAt)
    expect(expires).toBeGreaterThanOrEqual(before + WEEK_MS)
    expect(expires).toBeLessThanOrEqual(Date.now() + WEEK_MS)
  })

  test('lets a manager invite an employee', async () => {
    const organization = await createOrganization(service)
    const { token } = await joinOrganization(service, organization, { role: 'manager' })
    const answer = await invite(service, organization, { token, role: 'employee' })
    expect(outcome(answer)).toBe('201')
  })

  test('is 403 role_required for a manager who invites a manager', async () => {
    const organization = await createOrganization(service)
    const { token } = await joinOrganization(service, organization, { role: 'manager' })
    const answer = await invite(service, organization, { token, role: 'manager' })
    expect(outcome(answer)).toBe('403 role_required')
    expect((await list(organization)).body.invitations).toHaveLength(1)
  })

  test('is 403 role_required for employees and 403 forbidden for non-members', async () => {
    const organization = await createOrganization(service)
    const { token } = await joinOrganization(service, organization, { role: 'employee' })
    expect(outcome(await invite(service, organization, { token }))).toBe('403 role_required')
    const stranger = await service.signIn()
    const answer = await invite(service, organization, { token: stranger.token })
    expect(outcome(answer)).toBe('403 forbidden')
  })

  test.each([
    ['the role owner', { role: 'owner' }],
    ['no role', {}],
    ['an extra property', { role: 'employee', expiresAt: '2030-01-01T00:00:00Z' }],
    ['no body', undefined],
  ])('rejects %s with 400', async (_name, body) => {
    const organization = await createOrganization(service)
    const { token } = organization.owner
    const url = `${organization.path}/invitations`
    const answer = await service.call('POST', url, { token, body, headers: freshKey() })
    expect(outcome(answer)).toBe('400 validation_failed')
    expect((await list(organization)).body.invitations).toEqual([])
  })

  test('derives the same token on replay, and never one token for two invitations', async () => {
    const organization = await createOrganization(service)
    const headers = freshKey()
    const first = await invite(service, organization, { headers })
    const replay = await invite(service, organization, { headers })
    expect(replay.text).toBe(first.text)
    expect(replay.headers['idempotent-replayed']).toBe('true')
    const other = await invite(service, organization)
    expect(other.body.inviteToken).not.toBe(first.body.inviteToken)
  })

  test('allows 20 open invitations, and another once one has ended', async () => {
    const organization = await createOrganization(service)
    const made = []
    for (let count = 0; count < 20; count += 1) made.push(await invite(service, organization))
    expect(tally(made)).toEqual({ 201: 20 })
    expect(outcome(await invite(service, organization))).toBe('409 state_conflict')
    await revoke(organization, made[0]?.body.id)
    expect(outcome(await invite(service, organization))).toBe('201')
    await accept(service, await service.signIn(), made[1]?.body.inviteToken)
    expect(outcome(await invite(service, organization))).toBe('201')
    expect(outcome(await invite(service, organization))).toBe('409 state_conflict')
  })

  test('creates exactly 20 of 30 concurrent invitations', async () => {
    const organization = await createOrganization(service)
    const answers = await Promise.all(times(30, () => invite(service, organization)))
    expect(tally(answers)).toEqual({ 201: 20, '409 state_conflict': 10 })
    expect((await list(organization)).body.invitations).toHaveLength(20)
  })
})

/** Every text, JSON and bytes column of the service and its job queue. */
async function columnsThatHold(needles: readonly string[]): Promise<string[]> {
  await liftOwnersRowSecurity(service.database)
  const columns = await service.database.asOwner<{ table: string; column: string }>(
    `select format('%I.%I', table_schema, table_name) as table, column_name as column
     from information_schema.columns
     join information_schema.tables using (table_schema, table_name)
     where table_schema in ('countersign', 'graphile_worker') and table_type = 'BASE TABLE'
       and data_type in ('text', 'character varying', 'json', 'jsonb', 'bytea')`,
  )
  const found: string[] = []
  for (const { table, column } of columns) {
    const rows = await service.database.asOwner(
      `select from ${table} where "${column}"::text ~ $1 limit 1`,
      [needles.join('|')],
    )
    if (rows.length > 0) found.push(`${table}.${column}`)
  }
  return found.toSorted()
}

describe('the invitation token', () => {
  test('is stored nowhere in the database, in any encoding', async () => {
    const organization = await createOrganization(service)
    const headers = freshKey()
    const { id, inviteToken } = (await invite(service, organization, { headers })).body
    await invite(service, organization, { headers })
    await accept(service, await service.signIn(), inviteToken)

    const bytes = Buffer.from(inviteToken, 'base64url')
    const asBytes = Buffer.from(inviteToken).toString('hex')
    const needles = [inviteToken, asBytes, bytes.toString('hex')]
    expect(await columnsThatHold(needles)).toEqual([])
    // Control: the search finds the id and the hash where they belong.
    const hash = createHash('sha256').update(inviteToken).digest('hex')
    expect(await columnsThatHold([id, hash])).toEqual([
      'countersign.audit_events.aggregate_id',
      'countersign.audit_events.data',
      'countersign.idempotency_keys.answer',
      'countersign.invitations.token_hash',
      'countersign.live_events.aggregate_id',
      'graphile_worker._private_jobs.key',
      'graphile_worker._private_jobs.payload',
    ])
  })
})

describe('GET {org}/invitations', () => {
  test('lists open, accepted and revoked ones, newest first, without tokens', async () => {
    const organization = await createOrganization(service)
    const made: Answer[] = []
    for (const role of ['manager', 'employee', 'employee']) {
      made.push(await invite(service, organization, { role }))
    }
    const [accepted, revoked, open] = made.map(({ body }) => body)
    const guest = await service.signIn()
    await accept(service, guest, accepted.inviteToken)
    await revoke(organization, revoked.id)
    const { status, body } = await list(organization)
    expect(status).toBe(200)
    const shown = (invitation: { id: string; role: string; expiresAt: string }, state: string) => ({
      id: invitation.id,
      organizationId: organization.id,
      role: invitation.role,
      status: state,
      expiresAt: invitation.expiresAt,
      createdAt: expect.any(String),
      invitedByAccountId: organization.owner.accountId,
      invitedByDisplayName: null,
      acceptedByAccountId: state === 'accepted' ? guest.accountId : null,
      acceptedByDisplayName: null,
      email: null,
    })
    expect(body).toEqual({
      invitations: [shown(open, 'open'), shown(revoked, 'revoked'), shown(accepted, 'accepted')],
      nextCursor: null,
    })
  })

  test('pages by limit and cursor', async () => {
    const organization = await createOrganization(service)
    for (let count = 0; count < 5; count += 1) await invite(service, organization)
    const all = (await list(organization)).body.invitations
    const first = (await list(organization, undefined, '?limit=3')).body
    const rest = (await list(organization, undefined, `?limit=3&cursor=${first.nextCursor}`)).body
    expect([...first.invitations, ...rest.invitations]).toEqual(all)
    expect(rest.nextCursor).toBeNull()
  })

  test('is readable for managers and 403 role_required for employees', async () => {
    const organization = await createOrganization(service)
    const manager = await joinOrganization(service, organization, { role: 'manager' })
    const employee = await joinOrganization(service, organization, { role: 'employee' })
    expect(outcome(await list(organization, manager.token))).toBe('200')
    expect(outcome(await list(organization, employee.token))).toBe('403 role_required')
  })
})

describe('POST {org}/invitations/{invitationId}/revoke', () => {
  test('ends an open invitation, and is 409 when repeated', async () => {
    const organization = await createOrganization(service)
    const { id } = (await invite(service, organization)).body
    const { status, body } = await revoke(organization, id)
    expect(status).toBe(200)
    expect(body).toEqual({ id })
    expect(outcome(await revoke(organization, id))).toBe('409 state_conflict')
  })

  test('is 409 for an accepted invitation, whose member stays', async () => {
    const organization = await createOrganization(service)
    const { id, inviteToken } = (await invite(service, organization)).body
    const person = await service.signIn()
    await accept(service, person, inviteToken)
    expect(outcome(await revoke(organization, id))).toBe('409 state_conflict')
    expect((await list(organization)).body.invitations).toMatchObject([{ status: 'accepted' }])
  })

  test('is 404 for an unknown invitation or one of another organization', async () => {
    const organization = await createOrganization(service)
    const other = await createOrganization(service)
    const { id: foreign } = (await invite(service, other)).body
    for (const id of [randomUUID(), foreign]) {
      expect(outcome(await revoke(organization, id))).toBe('404 not_found')
    }
    expect((await list(other)).body.invitations).toMatchObject([{ status: 'open' }])
  })

  test('lets a manager revoke employee invitations, but not manager ones', async () => {
    const organization = await createOrganization(service)
    const { token } = await joinOrganization(service, organization, { role: 'manager' })
    const { id: employees } = (await invite(service, organization, { role: 'employee' })).body
    const { id: managers } = (await invite(service, organization, { role: 'manager' })).body
    expect(outcome(await revoke(organization, employees, token))).toBe('200')
    expect(outcome(await revoke(organization, managers, token))).toBe('403 role_required')
    expect((await list(organization)).body.invitations).toMatchObject([
      { id: managers, status: 'open' },
      { id: employees, status: 'revoked' },
      { status: 'accepted' },
    ])
  })

  test('is 403 role_required for employees and 400 for a malformed id', async () => {
    const organization = await createOrganization(service)
    const { token } = await joinOrganization(service, organization, { role: 'employee' })
    expect(outcome(await revoke(organization, randomUUID(), token))).toBe('403 role_required')
    expect(outcome(await revoke(organization, 'mine'))).toBe('400 validation_failed')
  })
})
