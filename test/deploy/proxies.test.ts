/** HAProxy and nginx with the files of deploy/, in front of a real API and two real gateways. */
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { pickPort } from '#dev/free-ports.ts'
import { startTestApp, type TestApp } from '#test/support/app.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { writeEvent } from '#test/support/live.ts'
import { ask, type Ports, pickPorts, type RunningProxy, startProxy, textOf } from './proxies.ts'

let service: TestApp
let consumer: TestGateway
let admin: TestGateway
let shared: Omit<Ports, 'api'>
let api: number

/** The headers of every request as the API received it, checks of its health left out. */
const received: IncomingHttpHeaders[] = []

beforeAll(async () => {
  const ports = await pickPorts()
  service = await startTestApp({
    env: { TRUSTED_PROXIES: '1' },
    streams: { lifetimeMs: 600_000 },
  })
  await service.app.listen({ host: '127.0.0.1', port: 0 })
  api = (service.app.server.address() as AddressInfo).port
  service.app.server.prependListener('request', ({ url, headers }: IncomingMessage) => {
    if (!url?.startsWith('/health/')) received.push(headers)
  })
  const common = {
    apiUrl: `http://127.0.0.1:${ports.internal}`,
    databaseUrl: service.database.url,
    identity: service.identity,
    env: { TRUSTED_PROXIES: '1' },
  }
  consumer = await startGateway(common)
  admin = await startGateway({ ...common, realm: 'admin' })
  const portOf = ({ origin }: TestGateway) => Number(new URL(origin).port)
  shared = { ...ports, consumer: portOf(consumer), admin: portOf(admin) }
})
afterAll(async () => {
  await consumer.stop()
  await admin.stop()
  await service.stop()
})

const CLAIMS = {
  'x-forwarded-for': '203.0.113.7',
  'x-forwarded-host': 'evil.example',
  'x-real-ip': '203.0.113.7',
  forwarded: 'for=203.0.113.7',
}

describe.each(['haproxy', 'nginx'] as const)('%s', (kind) => {
  let proxy: RunningProxy
  let second: Awaited<ReturnType<typeof startSecond>>

  beforeAll(async () => {
    second = await startSecond()
    // nginx does not poll: for it the second process is gone.
    const other = kind === 'haproxy' ? second.port : await pickPort('127.0.0.1')
    proxy = await startProxy(kind, { ...shared, api: [api, other] })
  }, 600_000)
  afterAll(async () => {
    await proxy?.stop()
    await second.stop()
  })

  const get = (host: string, path: string, headers: Record<string, string> = {}) =>
    ask(shared, { host, path, headers })

  const statuses = async () => {
    const asked = Array.from({ length: 8 }, () => get('api.example', '/health/live'))
    const answers = await Promise.all(asked)
    for (const answer of answers) answer.resume()
    return answers.map(({ statusCode, headers }) => `${statusCode} ${headers['x-second'] ?? ''}`)
  }
  /** Of the first process only. */
  const OF_FIRST = Array(8).fill('200 ')

  test('checks health, and sends each name to its own application', async () => {
    // A process counts as ready until HAProxy has checked it.
    await expect.poll(statuses).toEqual(OF_FIRST)
    for (const [host, realm] of [
      ['app.example', 'consumer'],
      ['admin.example', 'admin'],
    ] as const) {
      await expect.poll(async () => (await get(host, '/health/ready')).statusCode).toBe(200)
      const { realm: answered } = JSON.parse(await textOf(await get(host, '/config.json')))
      expect(answered).toBe(realm)
    }
    expect((await get('other.example', '/')).statusCode).toBe(404)
  })

  test('leads plain http to https', async () => {
    const asked = { host: 'app.example', path: '/inbox?a=b', isPlain: true }
    const { statusCode, headers } = await ask(shared, asked)
    expect([statusCode, headers.location]).toEqual([308, 'https://app.example/inbox?a=b'])
  })

  test('drops what a client claims about its address', async () => {
    received.length = 0
    const answer = await get('api.example', '/v1/consumer/organizations', CLAIMS)
    expect(answer.statusCode).toBe(401)
    expect(received).toHaveLength(1)
    expect(received[0]).toMatchObject({ 'x-forwarded-for': '127.0.0.1' })
    expect(Object.values(received[0] ?? {}).join()).not.toMatch(/203\.0\.113\.7|evil/)
  })

  test('carries a stream from the API through the gateway, unbuffered', async () => {
    const browser = consumer.browser()
    await browser.signIn('Ana Ruiz')
    const cookie = [...browser.jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const own = { cookie, 'x-countersign': '1', 'sec-fetch-site': 'same-origin' }
    const made = await ask(shared, {
      host: 'app.example',
      path: '/v1/consumer/organizations',
      method: 'POST',
      headers: { ...own, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Acme' }),
    })
    expect(made.statusCode).toBe(201)
    const { id } = JSON.parse(await textOf(made))
    received.length = 0
    const stream = await get('app.example', `/v1/consumer/organizations/${id}/live/stream`, {
      ...own,
      ...CLAIMS,
      'accept-encoding': 'gzip, br',
    })
    expect(stream.statusCode).toBe(200)
    expect(stream.headers['content-encoding']).toBeUndefined()
    // The gateway's word about the client reaches the API; the client's own does not.
    expect(received.map((headers) => headers['x-forwarded-for'])).toEqual(['127.0.0.1'])
    let text = ''
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
    })
    await expect.poll(() => text).toMatch(/^id: /m)
    for (let n = 0; n < 3; n += 1) {
      const event = await writeEvent(service, id)
      await expect.poll(() => text).toContain(event)
    }
    stream.destroy()
  })

  test('refuses what is larger than the largest attachment', async () => {
    const size = (bytes: number) => ({ 'content-length': String(bytes) })
    const send = async (headers: Record<string, string>, body = '') => {
      const path = '/v1/consumer/organizations'
      return (await ask(shared, { host: 'api.example', path, method: 'POST', headers, body }))
        .statusCode
    }
    received.length = 0
    expect(await send(size(10 * 1024 * 1024 + 1)).catch(() => 413)).toBe(413)
    expect(received).toEqual([])
    // Smaller bodies are the service's to refuse.
    expect(await send({ 'content-type': 'application/json' }, 'x'.repeat(100_000))).toBe(401)
  })

  test('sends nothing to a process that is gone or not ready', async () => {
    if (kind === 'haproxy') {
      second.isReady = true
      await expect.poll(statuses).toContain('200 yes')
      second.isReady = false
      await expect.poll(statuses, { timeout: 10_000 }).not.toContain('200 yes')
    }
    expect(await statuses()).toEqual(OF_FIRST)
  })

  test('logs no path, which can contain a token', async () => {
    const secret = 'token-that-must-not-be-logged'
    await get('api.example', `/v1/consumer/invitations/${secret}`, { 'user-agent': secret })
    await expect.poll(() => proxy.log()).toMatch(/"method":"GET","status":40\d/)
    expect(await proxy.log()).not.toContain(secret)
  })

  test('logs no path when no process answers', async () => {
    const free = () => pickPort('127.0.0.1')
    const gone: Ports = {
      ...(await pickPorts()),
      consumer: await free(),
      admin: await free(),
      api: [await free(), await free()],
    }
    const alone = await startProxy(kind, gone)
    const secret = 'token-that-must-not-be-logged'
    const path = `/v1/consumer/invitations/${secret}`
    const { statusCode } = await ask(gone, { host: 'api.example', path })
    expect([502, 503]).toContain(statusCode)
    await expect.poll(() => alone.log()).toMatch(/"method":"GET","status":50\d/)
    const log = await alone.log()
    await alone.stop()
    expect(log).not.toContain(secret)
  })
})

/** Stands for another API process: it answers everything, and says when it is ready. */
async function startSecond() {
  const state = { isReady: false }
  const server = createServer(({ url }, response) => {
    const isReady = url !== '/health/ready' || state.isReady
    response.writeHead(isReady ? 200 : 503, { 'x-second': 'yes' }).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const stop = async () => {
    server.close()
    server.closeAllConnections()
  }
  return Object.assign(state, { port: (server.address() as AddressInfo).port, stop })
}
