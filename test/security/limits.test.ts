import type { Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  listen,
  openSocket,
  parseAnswer,
  type RawAnswer,
  rawRequest,
  readToEnd,
  sendRaw,
  untilClosed,
} from '#test/security/raw-http.ts'
import { type Person, startTestApp, type TestApp } from '#test/support/app.ts'

const KIB = 1024
const MIB = 1024 * KIB
const PATH = '/v1/consumer/organizations'

let service: TestApp
let port: number
let person: Person

beforeAll(async () => {
  service = await startTestApp()
  port = await listen(service)
  person = await service.signIn()
})
afterAll(() => service.stop())

const countOrganizations = async () =>
  (await service.database.asOwner('select count(*)::int as n from organizations'))[0]?.n

const jsonLines = () => [`Authorization: Bearer ${person.token}`, 'Content-Type: application/json']

const untilDrained = (socket: Socket) =>
  new Promise<void>((resolve) => socket.once('drain', () => resolve()))

function expectEnvelope({ status, headers, body }: RawAnswer, expected: [number, string]) {
  expect([status, body.error.code]).toEqual(expected)
  expect(Object.keys(body.error).sort()).toEqual(['code', 'message', 'requestId'])
  expect(body.error.requestId).toBe(headers['x-request-id'])
}

describe('bodies', () => {
  const padded = (bytes: number) => JSON.stringify({ name: 'Padded' }).padEnd(bytes, ' ')

  test('accepts 64 KiB and rejects one byte more with 413', async () => {
    const { token } = person
    const largest = await service.call('POST', PATH, { token, raw: padded(64 * KIB) })
    expect(largest.status).toBe(201)
    const before = await countOrganizations()
    const { status, body } = await service.call('POST', PATH, { token, raw: padded(64 * KIB + 1) })
    expect([status, body.error.code]).toEqual([413, 'payload_too_large'])
    expect(await countOrganizations()).toBe(before)
  })

  test('rejects a declared length of 100 MiB with 413 before any of it is sent', async () => {
    const lines = [...jsonLines(), `Content-Length: ${100 * MIB}`]
    expectEnvelope(await sendRaw(port, rawRequest({ path: PATH, lines })), [
      413,
      'payload_too_large',
    ])
  })

  test('cuts 100 MiB in chunks off early with 413 at constant memory', async () => {
    const before = await countOrganizations()
    const memory = process.memoryUsage().arrayBuffers
    let peak = memory
    const socket = await openSocket(port)
    const received = readToEnd(socket)
    socket.write(rawRequest({ path: PATH, lines: [...jsonLines(), 'Transfer-Encoding: chunked'] }))
    const chunk = Buffer.from(`10000\r\n${' '.repeat(64 * KIB)}\r\n`)
    let sent = 0
    while (sent < 100 * MIB && socket.writable) {
      sent += 64 * KIB
      if (!socket.write(chunk)) await Promise.race([untilDrained(socket), untilClosed(socket)])
      peak = Math.max(peak, process.memoryUsage().arrayBuffers)
    }
    expectEnvelope(parseAnswer(await received), [413, 'payload_too_large'])
    expect(sent).toBeLessThan(16 * MIB)
    expect(peak - memory).toBeLessThan(16 * MIB)
    expect(await countOrganizations()).toBe(before)
    expect((await service.call('GET', PATH, { token: person.token })).status).toBe(200)
  })

  test('creates nothing from a truncated body', async () => {
    const before = await countOrganizations()
    const socket = await openSocket(port)
    const lines = [...jsonLines(), 'Content-Length: 500']
    socket.write(rawRequest({ path: PATH, lines }))
    socket.write('{"name":"Half"}')
    socket.end()
    await readToEnd(socket)
    expect(await countOrganizations()).toBe(before)
  })

  test.each([
    ['arrays', '['.repeat(30_000) + ']'.repeat(30_000)],
    ['arrays in a field', `{"name":${'['.repeat(30_000)}${']'.repeat(30_000)}}`],
    ['objects', `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`],
  ])('rejects %s nested thousands deep with 400', async (_what, raw) => {
    const { status, body } = await service.call('POST', PATH, { token: person.token, raw })
    expect([status, body.error.code]).toEqual([400, 'validation_failed'])
  })

  test('rejects unclosed brackets with 400', async () => {
    const raw = '['.repeat(60_000)
    const { status, body } = await service.call('POST', PATH, { token: person.token, raw })
    expect([status, body.error.code]).toEqual([400, 'malformed_json'])
  })

  test('rejects an identity token of 20,001 characters with 400', async () => {
    const { status, body } = await service.call('PUT', '/v1/consumer/session', {
      token: person.token,
      body: { identityToken: 'x'.repeat(20_001) },
    })
    expect([status, body.error.code]).toEqual([400, 'validation_failed'])
  })
})

describe('headers', () => {
  test('above 16 KiB are 400 with the error envelope', async () => {
    const lines = [`Authorization: Bearer ${person.token}`, `X-Long: ${'x'.repeat(16 * KIB)}`]
    const answer = await sendRaw(port, rawRequest({ method: 'GET', path: PATH, lines }))
    expectEnvelope(answer, [400, 'validation_failed'])
  })

  test('with a path above 16 KiB are 400 with the error envelope', async () => {
    const path = `${PATH}/${'x'.repeat(17 * KIB)}`
    expectEnvelope(await sendRaw(port, rawRequest({ method: 'GET', path })), [
      400,
      'validation_failed',
    ])
  })

  test.each([
    ['with no HTTP at all', 'hello\r\n\r\n'],
    ['with an unknown method', rawRequest({ method: 'STEAL', path: PATH })],
    [
      'with two lengths',
      rawRequest({ path: PATH, lines: ['Content-Length: 1', 'Content-Length: 2'] }),
    ],
    [
      'with a length and chunks',
      rawRequest({ path: PATH, lines: ['Content-Length: 2', 'Transfer-Encoding: chunked'] }),
    ],
    [
      'with a malformed chunk',
      `${rawRequest({ path: PATH, lines: ['Transfer-Encoding: chunked'] })}zz\r\n`,
    ],
  ])('%s are 400 with the error envelope', async (_what, request) => {
    expectEnvelope(await sendRaw(port, request), [400, 'validation_failed'])
  })
})

describe('slow requests', () => {
  /** Sends one piece after another for as long as the server listens. */
  async function dribble({ start, drop }: { start: string | Buffer; drop: string }) {
    const { server } = service.app
    const { requestTimeout, headersTimeout } = server
    server.requestTimeout = 300
    server.headersTimeout = 300
    const socket = await openSocket(port)
    const received = readToEnd(socket)
    const begun = performance.now()
    socket.write(start)
    while (!socket.closed && performance.now() - begun < 20_000) {
      if (socket.writable) socket.write(drop)
      await wait(20)
    }
    socket.destroy()
    Object.assign(server, { requestTimeout, headersTimeout })
    return { answer: parseAnswer(await received), ms: performance.now() - begun }
  }

  test('the server ends trickling headers', async () => {
    const start = 'GET /health/live HTTP/1.1\r\nHost: localhost\r\n'
    const { answer, ms } = await dribble({ start, drop: 'X-A: b\r\n' })
    expect(ms).toBeLessThan(15_000)
    expectEnvelope(answer, [400, 'validation_failed'])
  })

  test('the server ends a trickling body and creates nothing', async () => {
    const before = await countOrganizations()
    const lines = [...jsonLines(), 'Content-Length: 5000']
    const { answer, ms } = await dribble({ start: rawRequest({ path: PATH, lines }), drop: ' ' })
    expect(ms).toBeLessThan(15_000)
    expectEnvelope(answer, [400, 'validation_failed'])
    expect(await countOrganizations()).toBe(before)
  })
})

describe('requests that Node would answer itself', () => {
  test.each([
    ['without a host', 'GET /v1/consumer/me HTTP/1.1\r\nConnection: close\r\n\r\n'],
    [
      'with an unknown expectation',
      'GET /v1/consumer/me HTTP/1.1\r\nHost: x\r\nExpect: magic\r\nConnection: close\r\n\r\n',
    ],
  ])('%s are answered like any other', async (_name, request) => {
    expectEnvelope(await sendRaw(port, request), [401, 'unauthenticated'])
  })
})
