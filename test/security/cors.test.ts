/** Calls by browsers from other origins, HEAD, and routes that do not exist. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  createOrganization,
  type Organization,
  startTestApp,
  type TestApp,
} from '#test/support/app.ts'
import { openLive } from '#test/support/live.ts'
import { sharedTestApp } from '#test/support/shared-app.ts'

const APP = 'https://app.example'
const OPS = 'https://ops.example:8443'
const ME = '/v1/consumer/me'

let service: TestApp
let closed: TestApp
let acme: Organization

beforeAll(async () => {
  service = await startTestApp({
    env: { CORS_ORIGINS: `${APP},${OPS}`, RATE_LIMIT_PER_ADDRESS: '50' },
    streams: { lifetimeMs: 600_000 },
  })
  closed = await sharedTestApp()
  acme = await createOrganization(service)
})
afterAll(async () => {
  await service.stop()
  await closed.stop()
})

const preflight = (origin: string, { app }: TestApp = service, url = ME) =>
  app.inject({
    method: 'OPTIONS',
    url,
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type,idempotency-key',
    },
  })

const corsHeaders = (headers: Record<string, unknown>) =>
  Object.keys(headers).filter((name) => name.startsWith('access-control-'))

const get = (url: string, { origin, token }: { origin: string; token?: string }) =>
  service.call('GET', url, { ...(token !== undefined && { token }), headers: { origin } })

describe('a preflight', () => {
  test.each([APP, OPS])('of %s is answered without a token', async (origin) => {
    const { statusCode, headers } = await preflight(origin)
    expect(statusCode).toBe(204)
    expect(headers['access-control-allow-origin']).toBe(origin)
    expect(headers['access-control-allow-methods']).toBe('GET, HEAD, POST, PUT, PATCH, DELETE')
    expect(headers['access-control-allow-headers']).toMatch(/Authorization.*Idempotency-Key/)
    expect(headers['access-control-max-age']).toBe('7200')
    expect(headers.vary).toContain('Origin')
    expect(headers['x-request-id']).toBeTruthy()
  })

  test('never allows credentials', async () => {
    const { headers } = await preflight(APP)
    expect(headers).not.toHaveProperty('access-control-allow-credentials')
  })

  test.each([
    'https://evil.example',
    'https://app.example.evil.example',
    'https://app.example:444',
    'http://app.example',
    'https://APP.example',
    'https://sub.app.example',
    'null',
    '*',
  ])('of %s gets a 404 without a CORS header', async (origin) => {
    const { statusCode, headers, payload } = await preflight(origin)
    expect(statusCode).toBe(404)
    expect(corsHeaders(headers)).toEqual([])
    expect(JSON.parse(payload).error.code).toBe('not_found')
  })

  test('is not counted by the limit per address', async () => {
    for (let count = 0; count < 60; count += 1) {
      expect((await preflight(APP)).statusCode).toBe(204)
    }
  })

  test('is a 404 where no origin is configured', async () => {
    const { statusCode, headers } = await preflight(APP, closed)
    expect(statusCode).toBe(404)
    expect(corsHeaders(headers)).toEqual([])
  })
})

describe('a response to a known origin', () => {
  const exposed = [
    ...['Content-Disposition', 'ETag', 'Idempotent-Replayed', 'Link', 'Location', 'Retry-After'],
    ...['WWW-Authenticate', 'X-Poll-Interval', 'X-Request-Id'],
  ].join(', ')
  const expectReadable = (headers: Record<string, unknown>) => {
    expect(headers['access-control-allow-origin']).toBe(APP)
    expect(headers['access-control-expose-headers']).toBe(exposed)
    expect(headers).not.toHaveProperty('access-control-allow-credentials')
  }

  test('can be read: success, 401, 403, 404 and 400', async () => {
    const { token } = acme.owner
    const { path } = acme
    const missing = '/v1/consumer/organizations/00000000-0000-4000-8000-000000000000/members'
    for (const [status, answer] of [
      [200, await get(ME, { origin: APP, token })],
      [401, await get(ME, { origin: APP })],
      [403, await get(missing, { origin: APP, token })],
      [404, await get('/nowhere', { origin: APP, token })],
      [400, await get(`${path}/members?limit=0`, { origin: APP, token })],
    ] as const) {
      expect(answer.status).toBe(status)
      expectReadable(answer.headers)
    }
  })

  test('can be read when it is a 429', async () => {
    const limited = await startTestApp({
      env: { CORS_ORIGINS: APP, RATE_LIMIT_PER_ADDRESS: '1' },
    })
    const ask = () => limited.call('GET', ME, { headers: { origin: APP } })
    expect((await ask()).status).toBe(401)
    const answer = await ask()
    expect(answer.status).toBe(429)
    expectReadable(answer.headers)
    await limited.stop()
  })

  test('can be read when it is a live stream', async () => {
    const client = await openLive(service, `${acme.path}/live/stream`, {
      token: acme.owner.token,
      headers: { origin: APP },
    })
    expectReadable(client.headers)
    client.close()
  })

  test('is not readable for an unknown origin', async () => {
    const { headers, status } = await get(ME, { origin: 'https://evil.example' })
    expect(status).toBe(401)
    expect(corsHeaders(headers)).toEqual([])
    expect(headers.vary).toContain('Origin')
  })

  test('has no CORS header where no origin is configured', async () => {
    const { headers } = await closed.call('GET', ME, { headers: { origin: APP } })
    expect(corsHeaders(headers)).toEqual([])
  })
})

describe('HEAD', () => {
  const head = (url: string, token?: string) =>
    closed.app.inject({
      method: 'HEAD',
      url,
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    })

  test('is answered like GET, without the body', async () => {
    const home = await createOrganization(closed)
    const { token } = home.owner
    for (const url of [ME, `${home.path}/members`, '/health/live', '/openapi.json']) {
      const [asked, full] = [
        await head(url, token),
        await closed.app.inject({
          method: 'GET',
          url,
          headers: { authorization: `Bearer ${token}` },
        }),
      ]
      expect(asked.statusCode).toBe(200)
      expect(asked.payload).toBe('')
      expect(asked.headers['content-type']).toBe(full.headers['content-type'])
      expect(asked.headers['content-length']).toBe(String(Buffer.byteLength(full.payload)))
    }
  })

  test('needs the same permission as GET', async () => {
    const home = await createOrganization(closed)
    const stranger = await closed.signIn()
    expect((await head(ME)).statusCode).toBe(401)
    expect((await head(`${home.path}/members`, stranger.token)).statusCode).toBe(403)
    expect((await head('/v1/admin/overview', stranger.token)).statusCode).toBe(403)
  })

  test('of a stream gives its headers and opens none', async () => {
    const home = await createOrganization(closed)
    const answer = await head(`${home.path}/live/stream`, home.owner.token)
    expect(answer.statusCode).toBe(200)
    expect(answer.headers['content-type']).toMatch(/^text\/event-stream/)
    expect(answer.payload).toBe('')
  })

  test('of a route without GET is 404', async () => {
    const { token } = await closed.signIn()
    expect((await head('/v1/consumer/session', token)).statusCode).toBe(404)
  })
})

describe('an unknown route', () => {
  test.each([
    ['GET', '/v1/consumer/nothing'],
    ['POST', ME],
    ['DELETE', '/health/live'],
  ])('%s %s says so', async (method, url) => {
    const { status, body } = await closed.call(method, url)
    expect(status).toBe(404)
    expect(body.error).toMatchObject({
      code: 'not_found',
      message: expect.stringContaining('No operation has this method and path.'),
    })
  })
})
