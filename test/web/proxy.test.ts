/** What passes between the page and the API, seen from an API that records everything. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '#test/support/app.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import {
  type Answering,
  ok,
  type RecordingApi,
  startRecordingApi,
} from '#test/support/recording-api.ts'
import type { WebBrowser } from '#test/support/web-browser.ts'

let service: TestApp
let api: RecordingApi
let gateway: TestGateway
let browser: WebBrowser

beforeAll(async () => {
  service = await startTestApp()
  api = await startRecordingApi()
  gateway = await startGateway({
    apiUrl: api.url,
    databaseUrl: service.database.url,
    identity: service.identity,
  })
  browser = gateway.browser()
  await browser.signIn('Ana Ruiz')
})
afterAll(async () => {
  await gateway.stop()
  await api.stop()
  await service.stop()
})
beforeEach(() => api.reset())

describe('a request to the API', () => {
  test('gets the token, and loses what the client claims about itself', async () => {
    await browser.call('GET', '/v1/consumer/organizations?limit=2&x=a%20b', undefined, {
      authorization: 'Bearer stolen',
      forwarded: 'for=1.2.3.4',
      'x-forwarded-for': '1.2.3.4',
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'https',
      'x-real-ip': '1.2.3.4',
      referer: `${gateway.origin}/secret-page`,
      'accept-encoding': 'br',
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      baggage: 'a=b',
      'last-event-id': 'cursor-7',
      'idempotency-key': 'key-1',
      'if-none-match': '"a"',
    })
    const { headers, url } = api.last()
    expect(url).toBe('/v1/consumer/organizations?limit=2&x=a%20b')
    expect(headers.authorization).toMatch(/^Bearer eyJ/)
    expect(headers).toMatchObject({
      'last-event-id': 'cursor-7',
      'idempotency-key': 'key-1',
      'if-none-match': '"a"',
      'x-forwarded-for': '127.0.0.1',
      host: `127.0.0.1:${api.port}`,
    })
    const dropped = [
      ...['cookie', 'forwarded', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip', 'referer'],
      ...['accept-encoding', 'x-countersign', 'sec-fetch-site', 'origin', 'traceparent', 'baggage'],
    ]
    expect(Object.keys(headers).filter((name) => dropped.includes(name))).toEqual([])
  })

  test('of a page that was loaded for somebody else is refused, and reaches nobody', async () => {
    const { accountId } = (await browser.call('GET', '/session')).body
    const own = { 'x-account': accountId }
    expect((await browser.call('GET', '/v1/consumer/me', undefined, own)).status).toBe(200)
    expect(api.last().headers).not.toHaveProperty('x-account')
    const other = { 'x-account': '01900000-0000-7000-8000-000000000002' }
    api.reset()
    for (const [method, path] of [
      ['GET', '/v1/consumer/me'],
      ['GET', '/v1/consumer/organizations/1/live/stream'],
      ['POST', '/v1/consumer/organizations'],
    ] as const) {
      const sent = method === 'POST' ? { name: 'Typed by Ana' } : undefined
      const { status, body } = await browser.call(method, path, sent, other)
      expect([status, body.error.code]).toEqual([409, 'account_changed'])
    }
    expect(api.received).toEqual([])
  })

  test.each([{ 'content-length': '7' }, { 'transfer-encoding': 'chunked' }])(
    'that reads is refused with a body: %o would be taken from the next request',
    async (framing) => {
      const url = new URL(gateway.origin)
      const socket = connect(Number(url.port), url.hostname)
      const lines = Object.entries(framing).map(([name, value]) => `${name}: ${value}\r\n`)
      socket.write(
        `GET /v1/consumer/config HTTP/1.1\r\nhost: ${url.host}\r\nx-countersign: 1\r\n` +
          `${lines.join('')}\r\n`,
      )
      const [answer] = await once(socket, 'data')
      socket.destroy()
      expect(String(answer)).toMatch(/^HTTP\/1\.1 400 /)
    },
  )

  test('keeps its request id, so that logs of both can be joined', async () => {
    await browser.call('GET', '/v1/consumer/me', undefined, { 'x-request-id': 'my-id' })
    expect(api.last().headers['x-request-id']).toBe('my-id')
  })

  test.each([
    '/v1/admin/me',
    '/v1/consumer',
    '/v1/consumer/..%2fadmin/me',
    '/v1/consumer/%2e%2e/admin/me',
    '/v1/consumer/a%5c..%5c..%5cadmin',
    '/docs/',
    '/openapi.json',
    '/metrics',
  ])('does not reach %s', async (path) => {
    const { status } = await browser.call('GET', path)
    expect(status).toBe(404)
    expect(api.received).toEqual([])
  })

  test('without a session carries no token, and the API decides', async () => {
    const headers = { authorization: 'Bearer made-up' }
    await gateway.browser().call('GET', '/v1/consumer/client-config', undefined, headers)
    expect(api.last().headers.authorization).toBeUndefined()
  })

  test('to unsubscribe may come from a mail program', async () => {
    const headers = {
      'content-type': 'application/x-www-form-urlencoded',
      'sec-fetch-site': 'cross-site',
    }
    const sent = { method: 'POST', headers, body: 'List-Unsubscribe=One-Click' }
    const answer = await gateway.browser().send('/unsubscribe?token=a.b-c_d', sent)
    expect(answer.status).toBe(200)
    expect(api.last().url).toBe('/v1/consumer/email-unsubscriptions/a.b-c_d')
    const bad = await gateway.browser().send('/unsubscribe?token=../me', sent)
    expect([bad.status, api.received.length]).toEqual([400, 1])
  })
})

describe('an answer of the API', () => {
  test('passes with its status and body, but sets no cookie', async () => {
    api.answer((_request, response) => {
      const headers = { 'set-cookie': 'a=b', etag: '"v1"', 'retry-after': '7', 'x-request-id': 'r' }
      response.writeHead(409, { ...headers, 'content-type': 'application/json' })
      response.end('{"error":{"code":"state_conflict"}}')
    })
    const { status, headers, body } = await browser.call('POST', '/v1/consumer/a', {})
    expect([status, body.error.code]).toEqual([409, 'state_conflict'])
    expect(headers.getSetCookie()).toEqual([])
    expect([headers.get('etag'), headers.get('retry-after')]).toEqual(['"v1"', '7'])
    expect(headers.get('cross-origin-resource-policy')).toBe('same-origin')
  })

  test('that redirects is passed on and not followed', async () => {
    api.answer(
      (_request, response) =>
        void response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
    )
    const { status, headers } = await browser.call('GET', '/v1/consumer/a')
    expect([status, headers.get('location')]).toEqual([302, 'http://127.0.0.1:1/'])
    expect(api.received).toHaveLength(1)
  })

  const refusing =
    (code: string): Answering =>
    (_request, response) => {
      response.writeHead(401, { 'content-type': 'application/json', 'www-authenticate': 'Bearer' })
      response.end(JSON.stringify({ error: { code } }))
    }

  test('401 to a read is repeated once with a new token', async () => {
    const before = gateway.refreshes()
    api.answer((incoming, response) =>
      api.received.length === 1
        ? refusing('unauthenticated')(incoming, response)
        : ok(incoming, response),
    )
    expect((await browser.call('GET', '/v1/consumer/me')).status).toBe(200)
    const [first, second] = api.received.map(({ headers }) => headers.authorization)
    expect(first).not.toBe(second)
    expect(gateway.refreshes() - before).toBe(1)
  })

  test('401 passes when a new token does not help, or is not the reason', async () => {
    api.answer(refusing('unauthenticated'))
    const twice = await browser.call('GET', '/v1/consumer/me')
    expect([twice.status, api.received.length]).toEqual([401, 2])
    expect(twice.headers.get('www-authenticate')).toBeNull()
    api.reset()
    api.answer(refusing('session_required'))
    const other = await browser.call('GET', '/v1/consumer/me')
    expect([other.status, other.body.error.code]).toEqual([401, 'session_required'])
    expect(api.received).toHaveLength(1)
  })

  test('401 to a change passes, because it cannot be repeated', async () => {
    api.answer(refusing('unauthenticated'))
    expect((await browser.call('POST', '/v1/consumer/a', { a: 1 })).status).toBe(401)
    expect(api.received).toHaveLength(1)
  })
})

describe('an API that does not answer', () => {
  test('is 503 with Retry-After in the error envelope, and sign-in explains it', async () => {
    await api.stop()
    try {
      const { status, headers, body } = await browser.call('GET', '/v1/consumer/me')
      expect([status, body.error.code]).toEqual([503, 'dependency_unavailable'])
      expect(body.error).toEqual({
        code: 'dependency_unavailable',
        message: expect.any(String),
        requestId: headers.get('x-request-id'),
      })
      expect(headers.get('retry-after')).toBe('1')
      const end = await gateway.browser().signIn('Ana Ruiz')
      expect(end).toBe(`${gateway.origin}/sign-in?problem=unavailable`)
    } finally {
      await api.start()
    }
  })
})
