/** Every 401 logs which check failed, and never the token. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createLog } from '#platform/log.ts'
import { type Bench, startBench } from '#test/security/realm-bench.ts'
import type { Call } from '#test/support/app.ts'
import { begunExport, type Ceremony } from '#test/support/exports.ts'
import { makeTokenKey, signToken } from '#test/support/tokens.ts'

const lines: string[] = []
let bench: Bench

beforeAll(async () => {
  const log = createLog({ level: 'info', destination: { write: (line) => lines.push(line) } })
  bench = await startBench([], { log })
})
afterAll(() => bench.stop())

async function ask(method: string, url: string, call: Call = {}) {
  const requestId = randomUUID()
  const headers = { 'x-request-id': requestId, ...call.headers }
  const answer = await bench.service.call(method, url, { ...call, headers })
  return { answer, failed: failedIn(requestId) }
}

const failedIn = (requestId: string): Record<string, unknown>[] =>
  lines
    .map((line) => JSON.parse(line))
    .filter((line) => line.requestId === requestId && line.msg === 'authentication failed')

const withClaims = (changes: Record<string, unknown>) =>
  bench.token('consumer', { claims: bench.claims('consumer', changes) })

const now = () => bench.clock.now().getTime() / 1000

describe('a refused access token is logged with', () => {
  const stranger = makeTokenKey({ kid: 'c-1' })
  const unknown = makeTokenKey({ kid: 'nobody-knows' })

  test.each([
    ['its audience', () => withClaims({ aud: 'other' }), 'aud', 'countersign-consumer', 'other'],
    ['its list of audiences', () => withClaims({ aud: ['a', 'b'] }), 'aud', /./, '["a","b"]'],
    ['its issuer', () => withClaims({ iss: 'https://evil.example' }), 'iss', /^https:/, /evil/],
    ['its expiry', () => withClaims({ iat: now() - 900, exp: now() - 60 }), 'exp', /2031/, /^\d+$/],
    ['its missing claim', () => withClaims({ exp: undefined }), 'exp', /2031/, 'nothing'],
    ['its start', () => withClaims({ nbf: now() + 60 }), 'nbf', /2031/, /^\d+$/],
    ['its lifetime', () => withClaims({ exp: now() + 90_000 }), 'exp', /86400 s/, /^\d+$/],
    ['its subject', () => withClaims({ sub: 'x'.repeat(300) }), 'sub', /255/, /^x{120}…$/],
    ['its type', () => withClaims({ nonce: 'n' }), 'nonce', 'an access token', /ID tokens/],
    [
      'its signature',
      () => signToken({ key: stranger, claims: bench.claims('consumer') }),
      'signature',
      /key set/,
      /c-1/,
    ],
    [
      'its unknown key',
      () => signToken({ key: unknown, claims: bench.claims('consumer') }),
      'kid',
      /key set/,
      'nobody-knows',
    ],
    [
      'its algorithm',
      () => signToken({ claims: bench.claims('consumer') }),
      'alg',
      /ES256/,
      'none',
    ],
    ['its malformed text', () => 'not-a-token', 'format', /JWT/, /^11 characters/],
  ])('%s', async (_what, make, claim, expected, found) => {
    const token = make()
    const { answer, failed } = await ask('GET', '/v1/consumer/me', { token })
    expect([answer.status, answer.body.error.code]).toEqual([401, 'unauthenticated'])
    const text = (pattern: string | RegExp) =>
      typeof pattern === 'string' ? pattern : expect.stringMatching(pattern)
    expect(failed).toMatchObject([
      { level: 'info', route: '/v1/consumer/me', credential: 'access_token', claim },
    ])
    expect(failed[0]).toMatchObject({ expected: text(expected), found: text(found) })
  })

  test('its realm', async () => {
    const { answer, failed } = await ask('GET', '/v1/consumer/me', { token: bench.token('admin') })
    expect(answer.status).toBe(401)
    expect(failed).toMatchObject([{ claim: 'realm', expected: 'consumer', found: 'admin' }])
  })

  test('the missing session of its subject', async () => {
    const token = withClaims({ sub: 'nobody-yet' })
    const { answer, failed } = await ask('GET', '/v1/consumer/organizations', { token })
    expect([answer.status, answer.body.error.code]).toEqual([401, 'session_required'])
    expect(failed).toMatchObject([{ claim: 'account', found: 'session_required' }])
  })

  test('a missing or non-Bearer header, without its value', async () => {
    const none = await ask('GET', '/v1/consumer/me')
    expect(none.answer.status).toBe(401)
    expect(none.failed).toMatchObject([{ credential: 'authorization_header', found: 'no header' }])
    const headers = { authorization: 'Basic c2VjcmV0OnBhc3N3b3Jk' }
    const basic = await ask('GET', '/v1/consumer/me', { headers })
    expect(basic.failed).toMatchObject([
      { credential: 'authorization_header', found: '26 characters of another form' },
    ])
    expect(lines.join('')).not.toContain('c2VjcmV0')
  })
})

describe('a refused ID token is logged with', () => {
  const open = (identityToken: string, realm: 'consumer' | 'admin' = 'consumer') =>
    ask('PUT', `/v1/${realm}/session`, { token: bench.token(realm), body: { identityToken } })

  test.each([
    ['another audience', { aud: 'x'.repeat(5_000) }, 'aud', /^x{120}…$/],
    ['another person', { sub: 'somebody-else' }, 'sub', /^somebody-else$/],
    ['another client', { azp: 'another-app' }, 'azp', /^another-app$/],
    [
      'unreadable wallets',
      { wallets: [{ kind: 'x', note: 'private' }] },
      'wallets',
      /^something else$/,
    ],
  ])('%s', async (_what, claims, claim, found) => {
    const { answer, failed } = await open(withClaims(claims))
    expect(answer.status).toBe(401)
    expect(failed).toMatchObject([
      { credential: 'identity_token', claim, found: expect.stringMatching(found) },
    ])
  })

  test('its credential in the administrator realm', async () => {
    const { answer, failed } = await open(bench.token('consumer'), 'admin')
    expect(answer.status).toBe(401)
    expect(failed).toMatchObject([{ credential: 'identity_token' }])
  })
})

describe('a refused export proof is logged with', () => {
  const complete = async (
    change: (ceremony: Ceremony) => Partial<Ceremony['proof']>,
  ): Promise<Record<string, unknown>[]> => {
    const ceremony = await begunExport(bench.service)
    const before = lines.length
    expect((await ceremony.complete(change(ceremony))).status).toBe(403)
    return lines
      .slice(before)
      .map((line) => JSON.parse(line))
      .filter(({ msg }) => msg === 'authentication failed')
  }

  const assertion = ({ holder, requestId }: Ceremony, claims: Record<string, unknown>) => ({
    mfaAssertion: withClaims({
      sub: holder.subject,
      nonce: requestId,
      auth_time: now(),
      amr: ['mfa'],
      ...claims,
    }),
  })

  test.each([
    ['a single factor', { amr: ['pwd'] }, 'amr', 'pwd'],
    ['no methods', { amr: undefined }, 'amr', 'nothing'],
    ['another request', { nonce: 'another' }, 'nonce', 'another'],
    ['an old authentication', { auth_time: 1_000_000_000 }, 'auth_time', /s ago$/],
    ['no authentication time', { auth_time: undefined }, 'auth_time', 'nothing'],
    ['another client', { aud: 'another-app' }, 'aud', 'another-app'],
  ])('an assertion of %s', async (_what, claims, claim, found) => {
    const failed = await complete((ceremony) => assertion(ceremony, claims))
    const text = typeof found === 'string' ? found : expect.stringMatching(found)
    expect(failed).toMatchObject([{ credential: 'mfa_assertion', claim, found: text }])
  })

  test('a signature of another key', async () => {
    const failed = await complete(() => ({ authorizationSignature: 'AAAA' }))
    expect(failed).toMatchObject([{ credential: 'authorization_signature', claim: 'signature' }])
  })
})

test('no log line contains any part of a token', async () => {
  const tokens = [withClaims({ aud: 'other' }), withClaims({ exp: now() - 60 })]
  for (const token of tokens) await ask('GET', '/v1/consumer/me', { token })
  for (const identityToken of tokens) {
    await ask('PUT', '/v1/consumer/session', {
      token: bench.token('consumer'),
      body: { identityToken },
    })
  }
  const text = lines.join('')
  for (const part of tokens.flatMap((token) => token.split('.').slice(1))) {
    expect(text).not.toContain(part)
  }
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(1_500)
})
