import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { grantOperator, revokeOperator, setAccountStatus } from '#identity/operators.ts'
import type { TestApp } from '#test/support/app.ts'
import { sharedTestApp } from '#test/support/shared-app.ts'
import { auditTrail, outcome, tally } from '#test/support/steps.ts'

let service: TestApp

beforeAll(async () => {
  service = await sharedTestApp()
})

const SESSION = '/v1/admin/session'
const ME = '/v1/admin/me'

async function operator() {
  const subject = `operator-${randomUUID()}`
  await grantOperator(service.ctx, subject)
  const { accessToken: token, identityToken } = await service.identity.issue({
    realm: 'admin',
    subject,
  })
  return { subject, token, identityToken }
}

const openSession = (token: string, body?: unknown) => service.call('PUT', SESSION, { token, body })

describe('PUT /v1/admin/session', () => {
  test('returns the operator without a body', async () => {
    const { subject, token } = await operator()
    const { status, body } = await openSession(token)
    expect(status).toBe(200)
    expect(body).toEqual({
      account: { id: expect.any(String), subject, status: 'active' },
      role: 'operator',
      active: true,
    })
  })

  test('returns the same with an empty body, an empty object or an identity token', async () => {
    const { token, identityToken } = await operator()
    const { body } = await openSession(token)
    const headers = { 'content-type': 'application/json' }
    const answers = [
      await service.call('PUT', SESSION, { token, raw: '', headers }),
      await openSession(token, {}),
      await openSession(token, { identityToken }),
      await service.call('PUT', `${SESSION}/`, { token }),
    ]
    expect(tally(answers)).toEqual({ 200: 4 })
    for (const answer of answers) expect(answer.body).toEqual(body)
  })

  test("is 401 for an expired, a consumer's or another operator's identity token", async () => {
    const { subject, token } = await operator()
    const { identityToken: others } = await operator()
    const { identityToken: expired } = await service.identity.issue({
      realm: 'admin',
      subject,
      expiresIn: -60,
    })
    const { identityToken: consumers } = await service.identity.issue({
      realm: 'consumer',
      subject,
    })
    const { accessToken: access } = await service.identity.issue({ realm: 'admin', subject })
    for (const identityToken of [others, expired, consumers, access, 'not a token']) {
      const answer = await openSession(token, { identityToken })
      expect(outcome(answer)).toBe('401 unauthenticated')
    }
  })

  test.each([
    ['an empty identity token', { identityToken: '' }],
    ['an identity token of 20001 characters', { identityToken: 'a'.repeat(20_001) }],
    ['null for an identity token', { identityToken: null }],
    ['an extra property', { role: 'operator' }],
    ['an array', []],
    ['a string', 'operator'],
  ])('%s is 400', async (_name, body) => {
    const { token } = await operator()
    expect(outcome(await openSession(token, body))).toBe('400 validation_failed')
  })
})

describe.each([
  ['PUT', SESSION],
  ['GET', ME],
])('%s %s', (method, url) => {
  const call = (token?: string) => service.call(method, url, token === undefined ? {} : { token })

  test('is 401 without a token', async () => {
    expect(outcome(await call())).toBe('401 unauthenticated')
  })

  test('is 403 operator_required for a non-operator, and creates no account', async () => {
    const subject = randomUUID()
    const { accessToken } = await service.identity.issue({ realm: 'admin', subject })
    expect(outcome(await call(accessToken))).toBe('403 operator_required')
    const found = await service.database.asOwner('select from accounts where subject = $1', [
      subject,
    ])
    expect(found).toEqual([])
  })

  test('is 403 realm_mismatch for a consumer of the same subject', async () => {
    const { subject } = await operator()
    const { token } = await service.signIn(subject)
    expect(outcome(await call(token))).toBe('403 realm_mismatch')
  })

  test('is 403 operator_required for a revoked operator until granted again', async () => {
    const { subject, token } = await operator()
    expect(await revokeOperator(service.ctx, subject)).toBe(true)
    expect(outcome(await call(token))).toBe('403 operator_required')
    expect(await revokeOperator(service.ctx, subject)).toBe(false)
    expect(await grantOperator(service.ctx, subject)).toBe(true)
    expect(outcome(await call(token))).toBe('200')
  })

  test('is 403 account_disabled for an operator with a disabled account', async () => {
    const { token } = await operator()
    const { id: accountId } = (await call(token)).body.account
    await setAccountStatus(service.ctx, { accountId, event: 'disable' })
    expect(outcome(await call(token))).toBe('403 account_disabled')
    await setAccountStatus(service.ctx, { accountId, event: 'enable' })
    expect(outcome(await call(token))).toBe('200')
  })
})

describe('GET /v1/admin/me', () => {
  test('returns what the session returned', async () => {
    const { token } = await operator()
    const session = await openSession(token)
    const { status, body } = await service.call('GET', ME, { token })
    expect(status).toBe(200)
    expect(body).toEqual(session.body)
  })
})

describe('granting and revoking operators', () => {
  test('is audited once each, and a repeat changes nothing', async () => {
    const { subject, token } = await operator()
    expect(await grantOperator(service.ctx, subject)).toBe(false)
    const { id } = (await service.call('GET', ME, { token })).body.account
    await revokeOperator(service.ctx, subject)
    const trail = await auditTrail(service.database, null)
    const own = trail.filter(({ aggregateId }) => aggregateId === id)
    expect(own).toMatchObject([
      { action: 'account.created', actorRealm: 'system', data: { realm: 'admin', subject } },
      { action: 'operator.granted', actorRealm: 'system', data: { subject } },
      { action: 'operator.revoked', actorRealm: 'system', data: { subject } },
    ])
  })

  test('creates one operator for twenty concurrent grants', async () => {
    const subject = `operator-${randomUUID()}`
    const granted = await Promise.all(
      Array.from({ length: 20 }, () => grantOperator(service.ctx, subject)),
    )
    expect(granted.filter(Boolean)).toHaveLength(1)
  })
})
