/** What passes between the page and the API, seen from an API that records everything. */
import { once } from 'node:events'
import {
  createServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '#test/support/app.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import type { WebBrowser } from '#test/support/web-browser.ts'

type Answering = (request: IncomingMessage, response: ServerResponse) => void

let service: TestApp
let gateway: TestGateway
let browser: WebBrowser
let api: Server
let apiPort: number
let answering: Answering
let received: IncomingMessage[]

const ACCOUNT = '01900000-0000-7000-8000-000000000001'
const ok: Answering = (_request, response) => void response.end('{}')

const respond: Answering = (incoming, response) => {
  if (incoming.method === 'PUT' && incoming.url === '/v1/consumer/session') {
    incoming.resume()
    return void response.end(JSON.stringify({ account: { id: ACCOUNT } }))
  }
  received.push(incoming)
  answering(incoming, response)
}

async function listen(port: number): Promise<number> {
  api = createServer(respond)
  api.listen(port, '127.0.0.1')
  await once(api, 'listening')
  return (api.address() as AddressInfo).port
}

beforeAll(async () => {
  service = await startTestApp()
  apiPort = await listen(0)
  gateway = await startGateway({
    apiUrl: `http://127.0.0.1:${apiPort}`,
    databaseUrl: service.database.url,
    identity: service.identity,
  })
  browser = gateway.browser()
  await browser.signIn('Ana Ruiz')
})
afterAll(async () => {
  await gateway.stop()
  api.closeAllConnections()
  api.close()
  await service.stop()
})
beforeEach(() => {
  answering = ok
  received = []
})

const last = (): IncomingMessage => received.at(-1) as IncomingMessage

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
      'last-event-id': 'cursor-7',
      'idempotency-key': 'key-1',
      'if-none-match': '"a"',
    })
    const { headers, url } = last()
    expect(url).toBe('/v1/consumer/organizations?limit=2&x=a%20b')
    expect(headers.authorization).toMatch(/^Bearer eyJ/)
    expect(headers).toMatchObject({
      'last-event-id': 'cursor-7',
      'idempotency-key': 'key-1',
      'if-none-match': '"a"',
      'x-forwarded-for': '127.0.0.1',
      host: `127.0.0.1:${apiPort}`,
    })
    const dropped = [
      ...['cookie', 'forwarded', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip', 'referer'],
      ...['accept-encoding', 'x-countersign', 'sec-fetch-site', 'origin'],
    ]
    expect(Object.keys(headers).filter((name) => dropped.includes(name))).toEqual([])
  })

  test('keeps its request id, so that logs of both can be joined', async () => {
    await browser.call('GET', '/v1/consumer/me', undefined, { 'x-request-id': 'my-id' })
    expect(last().headers['x-request-id']).toBe('my-id')
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
    expect(received).toEqual([])
  })

  test('without a session carries no token, and the API decides', async () => {
    const headers = { authorization: 'Bearer made-up' }
    await gateway.browser().call('GET', '/v1/consumer/client-config', undefined, headers)
    expect(last().headers.authorization).toBeUndefined()
  })

  test('to unsubscribe may come from a mail program', async () => {
    const headers = {
      'content-type': 'application/x-www-form-urlencoded',
      'sec-fetch-site': 'cross-site',
    }
    const sent = { method: 'POST', headers, body: 'List-Unsubscribe=One-Click' }
    const answer = await gateway.browser().send('/unsubscribe?token=a.b-c_d', sent)
    expect(answer.status).toBe(200)
    expect(last().url).toBe('/v1/consumer/email-unsubscriptions/a.b-c_d')
    const bad = await gateway.browser().send('/unsubscribe?token=../me', sent)
    expect([bad.status, received.length]).toEqual([400, 1])
  })
})

describe('an answer of the API', () => {
  test('passes with its status and body, but sets no cookie', async () => {
    answering = (_request, response) => {
      const headers = { 'set-cookie': 'a=b', etag: '"v1"', 'retry-after': '7', 'x-request-id': 'r' }
      response.writeHead(409, { ...headers, 'content-type': 'application/json' })
      response.end('{"error":{"code":"state_conflict"}}')
    }
    const { status, headers, body } = await browser.call('POST', '/v1/consumer/a', {})
    expect([status, body.error.code]).toEqual([409, 'state_conflict'])
    expect(headers.getSetCookie()).toEqual([])
    expect([headers.get('etag'), headers.get('retry-after')]).toEqual(['"v1"', '7'])
    expect(headers.get('cross-origin-resource-policy')).toBe('same-origin')
  })

  test('that redirects is passed on and not followed', async () => {
    answering = (_request, response) =>
      void response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()
    const { status, headers } = await browser.call('GET', '/v1/consumer/a')
    expect([status, headers.get('location')]).toEqual([302, 'http://127.0.0.1:1/'])
    expect(received).toHaveLength(1)
  })

  const refusing =
    (code: string): Answering =>
    (_request, response) => {
      response.writeHead(401, { 'content-type': 'application/json', 'www-authenticate': 'Bearer' })
      response.end(JSON.stringify({ error: { code } }))
    }

  test('401 to a read is repeated once with a new token', async () => {
    const before = gateway.refreshes()
    answering = (incoming, response) =>
      received.length === 1
        ? refusing('unauthenticated')(incoming, response)
        : ok(incoming, response)
    expect((await browser.call('GET', '/v1/consumer/me')).status).toBe(200)
    const [first, second] = received.map(({ headers }) => headers.authorization)
    expect(first).not.toBe(second)
    expect(gateway.refreshes() - before).toBe(1)
  })

  test('401 passes when a new token does not help, or when the token is not the reason', async () => {
    answering = refusing('unauthenticated')
    const twice = await browser.call('GET', '/v1/consumer/me')
    expect([twice.status, received.length]).toEqual([401, 2])
    expect(twice.headers.get('www-authenticate')).toBeNull()
    received = []
    answering = refusing('session_required')
    const other = await browser.call('GET', '/v1/consumer/me')
    expect([other.status, other.body.error.code]).toEqual([401, 'session_required'])
    expect(received).toHaveLength(1)
  })

  test('401 to a change passes, because it cannot be repeated', async () => {
    answering = refusing('unauthenticated')
    expect((await browser.call('POST', '/v1/consumer/a', { a: 1 })).status).toBe(401)
    expect(received).toHaveLength(1)
  })
})

describe('streams', () => {
  const cookie = () => [...browser.jar].map(([name, value]) => `${name}=${value}`).join('; ')
  const own = () => ({ cookie: cookie(), 'x-countersign': '1', 'sec-fetch-site': 'same-origin' })

  test('arrive event by event, and end at the API when the page leaves', async () => {
    let events: ServerResponse | undefined
    answering = (_request, response) => {
      events = response.writeHead(200, { 'content-type': 'text/event-stream' })
      events.write('retry: 3000\n\n')
    }
    const leaving = new AbortController()
    const { headers, body } = await fetch(`${gateway.origin}/v1/consumer/live/stream`, {
      headers: { ...own(), 'accept-encoding': 'gzip, br' },
      signal: leaving.signal,
    })
    expect(headers.get('content-type')).toBe('text/event-stream')
    expect(headers.get('content-encoding')).toBeNull()
    const reader = (body as ReadableStream<Uint8Array>).getReader()
    const next = async () => Buffer.from((await reader.read()).value ?? []).toString()
    expect(await next()).toBe('retry: 3000\n\n')
    for (const text of ['id: 1\ndata: a\n\n', ': keep-alive\n\n']) {
      events?.write(text)
      expect(await next()).toBe(text)
    }
    const ended = once(events as ServerResponse, 'close')
    leaving.abort()
    await ended
    expect(events?.writableFinished).toBe(false)
  })

  test('that the API breaks off end for the page, too', async () => {
    answering = (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': hello\n\n')
      setImmediate(() => response.destroy())
    }
    const { body } = await fetch(`${gateway.origin}/v1/consumer/live/stream`, { headers: own() })
    await expect(new Response(body).text()).rejects.toThrow()
  })

  test('of an upload reach the API while the page still sends', async () => {
    const arrived = Promise.withResolvers<string>()
    answering = (incoming, response) => {
      incoming.once('data', (chunk: Buffer) => arrived.resolve(chunk.toString()))
      incoming.on('end', () => response.writeHead(201).end('{}'))
    }
    const upload = request(`${gateway.origin}/v1/consumer/attachments`, {
      method: 'POST',
      headers: { ...own(), 'content-type': 'application/pdf', 'content-length': '10' },
    })
    const answered = once(upload, 'response') as Promise<[IncomingMessage]>
    upload.write('first')
    expect(await arrived.promise).toBe('first')
    expect(last().headers).toMatchObject({
      'content-type': 'application/pdf',
      'content-length': '10',
    })
    upload.end('-last')
    const [answer] = await answered
    answer.resume()
    expect(answer.statusCode).toBe(201)
  })

  test('of an upload that the API refuses early are answered', async () => {
    answering = (_request, response) => void response.writeHead(413).end('{}')
    const body = Buffer.alloc(5_000_000)
    const headers = { ...own(), 'content-type': 'application/pdf' }
    const sent = await fetch(`${gateway.origin}/v1/consumer/attachments`, {
      method: 'POST',
      headers,
      body,
    }).catch((error: Error) => error)
    // Node's client may see the closed connection before the answer; it must not hang.
    expect(sent instanceof Error || sent.status === 413).toBe(true)
  })
})

describe('requests of other sites', () => {
  const changing = { 'content-type': 'application/json' }
  const cases: [string, string, Record<string, string>][] = [
    ['a form of another site', 'cross-site', {}],
    ['a form of another subdomain or port', 'same-site', {}],
    ['a script of another site', 'cross-site', { 'x-countersign': '1' }],
    ['a script of another port', 'same-site', { 'x-countersign': '1' }],
    ['our own page without the header', 'same-origin', {}],
    ['another origin', 'same-origin', { 'x-countersign': '1', origin: 'https://evil.example' }],
    ['no origin at all', 'same-origin', { 'x-countersign': '1', origin: 'null' }],
  ]

  test.each(cases)('from %s are refused', async (_name, site, more) => {
    const headers = { ...changing, 'sec-fetch-site': site, ...more }
    const sent = [
      browser.send('/v1/consumer/organizations', { headers: { 'sec-fetch-site': site, ...more } }),
      browser.send('/v1/consumer/organizations', { method: 'POST', headers, body: '{}' }),
      browser.send('/session/sign-out', { method: 'POST', headers, body: '{}' }),
    ]
    for (const { status, body } of await Promise.all(sent)) {
      expect([status, body.error.code]).toEqual([403, 'forbidden'])
    }
    expect(received).toEqual([])
    expect((await browser.call('GET', '/session')).body.state).toBe('signed_in')
  })

  test('get no permission by CORS', async () => {
    const headers = {
      origin: 'https://evil.example',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'x-countersign',
    }
    const answer = await browser.send('/v1/consumer/me', { method: 'OPTIONS', headers })
    expect(answer.status).toBe(404)
    expect(answer.headers.get('access-control-allow-origin')).toBeNull()
  })

  test('our own page may send its origin', async () => {
    const { origin } = gateway
    expect((await browser.call('POST', '/v1/consumer/a', {}, { origin })).status).toBe(200)
  })
})

describe('an API that does not answer', () => {
  test('is 503 with Retry-After in the error envelope, and sign-in explains it', async () => {
    api.closeAllConnections()
    await new Promise((resolve) => api.close(resolve))
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
      await listen(apiPort)
    }
  })
})
