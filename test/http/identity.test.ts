import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { setAccountStatus } from '#identity/operators.ts'
import { createOrganization, joinOrganization, type TestApp } from '#test/support/app.ts'
import { document } from '#test/support/contract.ts'
import { sharedTestApp } from '#test/support/shared-app.ts'
import {
  accept,
  addRecipient,
  auditTrail,
  freshKey,
  invite,
  liftOwnersRowSecurity,
  membershipOf,
  outcome,
  randomAddress,
  revokeMember,
  tally,
  times,
} from '#test/support/steps.ts'

let service: TestApp

beforeAll(async () => {
  service = await sharedTestApp()
})

const tokensOf = (subject: string = randomUUID()) =>
  service.identity.issue({ realm: 'consumer', subject })

const openSession = (token: string, identityToken: unknown) =>
  service.call('PUT', '/v1/consumer/session', { token, body: { identityToken } })

const me = (token: string) => service.call('GET', '/v1/consumer/me', { token })

describe('PUT /v1/consumer/session', () => {
  test('creates an active account without wallets or memberships', async () => {
    const { accessToken, identityToken } = await tokensOf()
    const { status, body } = await openSession(accessToken, identityToken)
    expect(status).toBe(200)
    expect(body).toEqual({
      account: { id: expect.any(String), status: 'active', displayName: null },
      wallets: [],
      memberships: [],
      membershipsNextCursor: null,
    })
  })

  test('finds the account of the same subject again, under new tokens too', async () => {
    const subject = randomUUID()
    const first = await tokensOf(subject)
    const again = await tokensOf(subject)
    const { body: made } = await openSession(first.accessToken, first.identityToken)
    const { status, body: found } = await openSession(again.accessToken, again.identityToken)
    expect(status).toBe(200)
    expect(found).toEqual(made)
  })

  test('creates an account of its own for another subject', async () => {
    const [one, two] = [await service.signIn(), await service.signIn()]
    expect(one.accountId).not.toBe(two.accountId)
  })

  test('creates one account for twenty concurrent first sessions', async () => {
    const subject = randomUUID()
    const address = randomAddress()
    const wallets = [{ address, kind: 'external' as const }]
    const issued = await service.identity.issue({ realm: 'consumer', subject, wallets })
    const answers = await Promise.all(
      times(20, () => openSession(issued.accessToken, issued.identityToken)),
    )
    expect(tally(answers)).toEqual({ 200: 20 })
    const accounts = await service.database.asOwner<{ id: string }>(
      'select id from accounts where subject = $1',
      [subject],
    )
    expect(accounts).toHaveLength(1)
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    const trail = await auditTrail(service.database, null)
    const own = trail.filter(({ actorAccountId }) => actorAccountId === accounts[0]?.id)
    expect(own.map(({ action }) => action)).toEqual(['account.created', 'wallet.linked'])
  })

  test('lists memberships newest first, including revoked ones', async () => {
    const [first, second] = [await createOrganization(service), await createOrganization(service)]
    const person = await joinOrganization(service, first, { role: 'manager' })
    await joinOrganization(service, second, { role: 'employee', person })
    const { membershipId } = await membershipOf(service, first, person)
    await revokeMember(service, first, membershipId)

    const { body } = await me(person.token)
    expect(body.memberships).toMatchObject([
      { organizationId: second.id, organizationName: 'Acme', role: 'employee', status: 'active' },
      { organizationId: first.id, role: 'manager', status: 'revoked', id: membershipId },
    ])
    const { accessToken, identityToken } = await tokensOf(person.subject)
    expect((await openSession(accessToken, identityToken)).body).toEqual(body)
  })

  const badBodies: [string, unknown][] = [
    ['no body', undefined],
    ['no identity token', {}],
    ['an identity token of 0 characters', { identityToken: '' }],
    ['an identity token of 20001 characters', { identityToken: 'a'.repeat(20_001) }],
    ['a number for an identity token', { identityToken: 1 }],
    ['an extra property', { identityToken: 'a', status: 'active' }],
    ['an array', ['a']],
  ]
  test.each(badBodies)('rejects %s with 400 and creates no account', async (_name, body) => {
    const { accessToken: token } = await tokensOf()
    const answer = await service.call('PUT', '/v1/consumer/session', { token, body })
    expect(outcome(answer)).toBe('400 validation_failed')
    expect(outcome(await me(token))).toBe('401 session_required')
  })

  test('reads an identity token of 20000 characters and refuses it as invalid', async () => {
    const { accessToken } = await tokensOf()
    const answer = await openSession(accessToken, 'a'.repeat(20_000))
    expect(outcome(answer)).toBe('401 unauthenticated')
  })

  test('is 401 without an access token, whatever the body', async () => {
    const answer = await service.call('PUT', '/v1/consumer/session', { raw: '{' })
    expect(outcome(answer)).toBe('401 unauthenticated')
    expect(answer.headers['www-authenticate']).toBe('Bearer')
  })

  test('accepts a trailing slash in the path', async () => {
    const { accessToken: token, identityToken } = await tokensOf()
    const body = { identityToken }
    const answer = await service.call('PUT', '/v1/consumer/session/', { token, body })
    expect(outcome(answer)).toBe('200')
  })
})

describe('GET /v1/consumer/me', () => {
  test('returns what the session returned', async () => {
    const { accessToken, identityToken } = await tokensOf()
    const session = await openSession(accessToken, identityToken)
    const { status, body } = await me(accessToken)
    expect(status).toBe(200)
    expect(body).toEqual(session.body)
  })
})

/** Every operation that needs a token, with ids of nothing. */
const guarded = Object.entries(document.paths).flatMap(([path, operations]) =>
  Object.entries(operations)
    .filter(([, { security }]) => path.startsWith('/v1/') && security?.length !== 0)
    .map(([method]) => [method.toUpperCase(), path] as const),
)
const urlOf = (path: string) => path.replaceAll(/\{[^}]+\}/g, () => randomUUID())

describe('every operation', () => {
  test('is covered', () => expect(guarded.length).toBeGreaterThanOrEqual(17))

  test.each(guarded)('%s %s is 401 without a token', async (method, path) => {
    const answer = await service.call(method, urlOf(path))
    expect(outcome(answer)).toBe('401 unauthenticated')
  })

  const needAccount = guarded.filter(
    ([, path]) => path.startsWith('/v1/consumer/') && path !== '/v1/consumer/session',
  )
  test.each(needAccount)(
    '%s %s is 401 session_required before the first session',
    async (method, path) => {
      const { accessToken: token } = await tokensOf()
      const answer = await service.call(method, urlOf(path), { token })
      expect(outcome(answer)).toBe('401 session_required')
    },
  )
})

describe('a disabled account', () => {
  const disable = (accountId: string, event: 'disable' | 'enable' = 'disable') =>
    setAccountStatus(service.ctx, { accountId, event })

  test('still reads itself, as disabled', async () => {
    const person = await service.signIn()
    expect(await disable(person.accountId)).toBe(true)
    const { status, body } = await me(person.token)
    expect(status).toBe(200)
    const account = { id: person.accountId, status: 'disabled', displayName: null }
    expect(body.account).toEqual(account)
  })

  test('cannot open a session or link a wallet', async () => {
    const person = await service.signIn()
    await disable(person.accountId)
    const { accessToken, identityToken } = await service.identity.issue({
      realm: 'consumer',
      subject: person.subject,
      wallets: [{ address: randomAddress(), kind: 'embedded' }],
    })
    expect(outcome(await openSession(accessToken, identityToken))).toBe('401 account_disabled')
    expect((await me(accessToken)).body.wallets).toEqual([])
  })

  test('is 401 account_disabled where 403 is not declared', async () => {
    const organization = await createOrganization(service)
    const { inviteToken } = (await invite(service, organization)).body
    const person = await service.signIn()
    const { token } = person
    await disable(person.accountId)
    const list = await service.call('GET', '/v1/consumer/organizations', { token })
    const body = { name: 'Acme' }
    const create = await service.call('POST', '/v1/consumer/organizations', { token, body })
    const join = await accept(service, person, inviteToken)
    expect(tally([list, create, join])).toEqual({ '401 account_disabled': 3 })
    expect((await me(token)).body.memberships).toEqual([])
  })

  test('is 403 account_disabled in its own organization until it is enabled again', async () => {
    const organization = await createOrganization(service)
    const { path, owner, ownerMembershipId: membershipId } = organization
    const { token } = owner
    await disable(owner.accountId)
    const body = { membershipId, walletId: randomUUID(), role: 'approver' }
    const answers = [
      await service.call('GET', `${path}/members`, { token }),
      await service.call('POST', `${path}/wallet-roles`, { token, body }),
      await service.call('POST', `${path}/wallet-roles/${randomUUID()}/revoke`, { token }),
      await revokeMember(service, organization, membershipId),
      await service.call('GET', `${path}/invitations`, { token }),
      await invite(service, organization),
      await service.call('POST', `${path}/invitations/${randomUUID()}/revoke`, { token }),
      await service.call('GET', `${path}/recipients`, { token }),
      await addRecipient(service, organization),
      await service.call('POST', `${path}/recipients/${randomUUID()}/deactivate`, { token }),
    ]
    expect(tally(answers)).toEqual({ '403 account_disabled': answers.length })

    expect(await disable(owner.accountId, 'enable')).toBe(true)
    const headers = freshKey()
    expect(outcome(await addRecipient(service, organization, { headers }))).toBe('201')
  })
})

describe('an account with many memberships', () => {
  const MANY = 230
  const memberships = (token: string, query = '') =>
    service.call('GET', `/v1/consumer/memberships${query}`, { token })

  test('reads the newest 200 at once and the others by page', async () => {
    await liftOwnersRowSecurity(service.database)
    const person = await service.signIn()
    await service.database.asOwner(
      `with made as (
         insert into organizations (id, name, created_by_account_id, created_at)
         select ('0000' || right($1::text, 4) || '-0000-7000-8000-' ||
             lpad(to_hex(n), 12, '0'))::uuid, 'Company ' || n, $1::uuid, now()
         from generate_series(1, $2::integer) n returning id)
       insert into memberships (id, organization_id, account_id, role, state, created_at)
       select id, id, $1::uuid, 'owner', 'active', now() from made`,
      [person.accountId, MANY],
    )
    const first = (await me(person.token)).body
    expect(first.memberships).toHaveLength(200)
    expect(first.memberships[0].organizationName).toBe(`Company ${MANY}`)
    const rest = (await memberships(person.token, `?cursor=${first.membershipsNextCursor}`)).body
    expect(rest.memberships).toHaveLength(MANY - 200)
    expect(rest).toMatchObject({ nextCursor: null })
    const ids = [...first.memberships, ...rest.memberships].map(({ id }: { id: string }) => id)
    expect(new Set(ids).size).toBe(MANY)
    const [oldest] = rest.memberships.slice(-1)
    const only = await memberships(person.token, `?organizationId=${oldest.organizationId}`)
    expect(only.body).toEqual({ memberships: [oldest], nextCursor: null })
  })

  test('another account sees none of them, and nobody does without a token', async () => {
    const { token } = await service.signIn()
    expect((await memberships(token)).body).toEqual({ memberships: [], nextCursor: null })
    expect((await me(token)).body.membershipsNextCursor).toBeNull()
    expect(outcome(await service.call('GET', '/v1/consumer/memberships'))).toBe(
      '401 unauthenticated',
    )
    expect(outcome(await memberships(token, '?organizationId=mine'))).toBe('400 validation_failed')
  })
})
