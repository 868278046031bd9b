import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { declares, fill, guardedRoutes, type Route } from '#test/security/routes.ts'
import type { Call, TestApp } from '#test/support/app.ts'
import { sharedTestApp } from '#test/support/shared-app.ts'

let service: TestApp
const tokens: Record<string, string> = {}

beforeAll(async () => {
  service = await sharedTestApp()
  tokens.consumer = (await service.signIn()).token
  tokens.admin = await service.operatorToken()
})

const anyIds = new Proxy({} as Record<string, string>, { get: () => randomUUID() })
const urlOf = ({ template }: Route, values = anyIds) => fill(template, values)
const named = guardedRoutes.map((route) => [route.name, route] as const)

describe('a token of the other realm', () => {
  /** Operations that declare no 403 answer 401 instead. */
  const without403 = [
    'DELETE /v1/consumer/push/subscriptions',
    'GET /v1/admin/live/stream',
    'GET /v1/consumer/me',
    'GET /v1/consumer/memberships',
    'GET /v1/consumer/organizations',
    'GET /v1/consumer/organizations/:organizationId/live/stream',
    'GET /v1/consumer/push/config',
    'POST /v1/consumer/invitations/:token/accept',
    'POST /v1/consumer/organizations',
    'POST /v1/consumer/push/subscriptions',
    'PUT /v1/consumer/session',
  ]

  test('the operations without a 403 are the listed ones', () => {
    const found = guardedRoutes.filter((route) => !declares(route, 403)).map(({ name }) => name)
    expect(found.sort()).toEqual(without403)
  })

  test.each(named)('%s: 403 realm_mismatch where declared, else 401', async (name, route) => {
    const token = tokens[route.access.realm === 'consumer' ? 'admin' : 'consumer'] ?? ''
    const { status, body } = await service.call(route.method, urlOf(route), { token })
    const expected = without403.includes(name) ? [401, 'unauthenticated'] : [403, 'realm_mismatch']
    expect([status, body.error.code]).toEqual(expected)
  })

  test('its identity token opens no session', async () => {
    const subject = 'same-name'
    const admin = await service.identity.issue({ realm: 'admin', subject })
    const consumer = await service.identity.issue({ realm: 'consumer', subject })
    const { status, body } = await service.call('PUT', '/v1/consumer/session', {
      token: consumer.accessToken,
      body: { identityToken: admin.identityToken },
    })
    expect([status, body.error.code]).toEqual([401, 'unauthenticated'])
    const accounts = await service.database.asOwner(
      'select realm from accounts where subject = $1',
      [subject],
    )
    expect(accounts).toEqual([])
  })

  test('the same subject in both realms has two accounts', async () => {
    const subject = `both-${randomUUID()}`
    const person = await service.signIn(subject)
    const token = await service.operatorToken(subject)
    const operator = await service.call('GET', '/v1/admin/me', { token })
    expect(operator.body.account.id).not.toBe(person.accountId)
    const other = await service.call('GET', '/v1/admin/me', { token: person.token })
    expect([other.status, other.body.error.code]).toEqual([403, 'realm_mismatch'])
  })
})

describe('authentication comes before everything else', () => {
  const broken: [string, Call][] = [
    ['broken JSON', { raw: '{"name":' }],
    ['an empty body', { raw: '' }],
    ['a body of the wrong shape', { body: { role: 7, extra: true } }],
    ['a body that is too large', { raw: `"${'x'.repeat(70_000)}"` }],
    ['another content type', { raw: 'x', headers: { 'content-type': 'text/plain' } }],
    ['no content type', { raw: '{}', headers: { 'content-type': '' } }],
    ['a bad Idempotency-Key', { headers: { 'idempotency-key': '' } }],
    ['a bad token', { token: 'nonsense', raw: '{"name":' }],
  ]

  test.each(named)('%s without a token is 401, whatever the body', async (_name, route) => {
    for (const [what, call] of broken) {
      const hasBody = route.method !== 'GET' || call.raw === undefined
      if (!hasBody) continue
      const { status, body } = await service.call(route.method, urlOf(route), call)
      expect([what, status, body.error.code]).toEqual([what, 401, 'unauthenticated'])
    }
  })

  test.each(named)('%s without a token is 401, whatever the ids', async (_name, route) => {
    const bad = ['not-a-uuid', '%20', '..%2F..', "'%20or%201=1", '%00', 'x'.repeat(1000)]
    for (const value of bad) {
      const values = new Proxy({} as Record<string, string>, { get: () => value })
      const url = `${urlOf(route, values)}?limit=none&cursor=%00`
      const { status, body } = await service.call(route.method, url)
      expect([value, status, body.error.code]).toEqual([value, 401, 'unauthenticated'])
    }
  })
})
