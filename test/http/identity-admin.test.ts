import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { grantOperator, revokeOperator, setAccountStatus } from '#identity/operators.ts'
import { startTestApp, type TestApp } from '#test/support/app.ts'
import { auditTrail, outcome, tally } from '#test/support/steps.ts'

let service: TestApp

beforeAll(async () => {
  service = await startTestApp()
})
afterAll(() => service.stop())

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
  test('answers the operator without a body', async () => {
    const { subject, token } = await operator()
    const { status, body } = await openSession(token)
    expect(status).toBe(200)
    expect(body).toEqual({
      account: { id: expect.any(String), subject, status: 'active' },
      role: 'operator',
      active: true,
    })
  })

  test('answers the same with an empty body, an empty object and an identity token', async () => {
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

  test("another operator's, an expired or a consumer identity token is 401", async () => {
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
    ['a text', 'operator'],
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

  test('without a token it is 401', async () => {
    expect(outcome(await call())).toBe('401 unauthenticated')
  })

  test('a subject that is no operator is 403 operator_required, and gets no account', async () => {
    const subject = randomUUID()
    const { accessToken } = await service.identity.issue({ realm: 'admin', subject })
    expect(outcome(await call(accessToken))).toBe('403 operator_required')
    const found = await service.database.asOwner('select from accounts where subject = $1', [
      subject,
    ])
    expect(found).toEqual([])
  })

  test('a consumer of the same subject is 403 realm_mismatch', async () => {
    const { subject } = await operator()
    const { token } = await service.signIn(subject)
    expect(outcome(await call(token))).toBe('403 realm_mismatch')
  })

  test('a revoked operator is 403 operator_required until granted again', async () => {
    const { subject, token } = await operator()
    expect(await revokeOperator(service.ctx, subject)).toBe(true)
    expect(outcome(await call(token))).toBe('403 operator_required')
    expect(await revokeOperator(service.ctx, subject)).toBe(false)
    expect(await grantOperator(service.ctx, subject)).toBe(true)
    expect(outcome(await call(token))).toBe('200')
  })

  test('an operator whose account is disabled is 403 account_disabled', async () => {
    const { token } = await operator()
    const { id: accountId } = (await call(token)).body.account
    await setAccountStatus(service.ctx, { accountId, event: 'disable' })
    expect(outcome(await call(token))).toBe('403 account_disabled')
    await setAccountStatus(service.ctx, { accountId, event: 'enable' })
    expect(outcome(await call(token))).toBe('200')
  })
})

describe('GET /v1/admin/me', () => {
  test('answers what the session answered', async () => {
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

  test('twenty grants at once make one operator', async () => {
    const subject = `operator-${randomUUID()}`
    const granted = await Promise.all(
      Array.from({ length: 20 }, () => grantOperator(service.ctx, subject)),
    )
    expect(granted.filter(Boolean)).toHaveLength(1)
  })
})
