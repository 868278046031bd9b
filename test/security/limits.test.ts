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

  test('64 KiB are read, one byte more is 413', async () => {
    const { token } = person
    const largest = await service.call('POST', PATH, { token, raw: padded(64 * KIB) })
    expect(largest.status).toBe(201)
    const before = await countOrganizations()
    const { status, body } = await service.call('POST', PATH, { token, raw: padded(64 * KIB + 1) })
    expect([status, body.error.code]).toEqual([413, 'payload_too_large'])
    expect(await countOrganizations()).toBe(before)
  })

  test('an announced 100 MiB is 413 before a byte of it is sent', async () => {
    const lines = [...jsonLines(), `Content-Length: ${100 * MIB}`]
    expectEnvelope(await sendRaw(port, rawRequest({ path: PATH, lines })), [
      413,
      'payload_too_large',
    ])
  })

  test('100 MiB in chunks are cut off early with 413, and memory stays flat', async () => {
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

  test('a body that ends early makes nothing', async () => {
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
  ])('%s thousands deep are 400', async (_what, raw) => {
    const { status, body } = await service.call('POST', PATH, { token: person.token, raw })
    expect([status, body.error.code]).toEqual([400, 'validation_failed'])
  })

  test('brackets that never close are 400', async () => {
    const raw = '['.repeat(60_000)
    const { status, body } = await service.call('POST', PATH, { token: person.token, raw })
    expect([status, body.error.code]).toEqual([400, 'malformed_json'])
  })

  test('an identity token of 20,001 characters is 400', async () => {
    const { status, body } = await service.call('PUT', '/v1/consumer/session', {
      token: person.token,
      body: { identityToken: 'x'.repeat(20_001) },
    })
    expect([status, body.error.code]).toEqual([400, 'validation_failed'])
  })
})

describe('headers', () => {
  test('more than 16 KiB of them are 400 in the envelope', async () => {
    const lines = [`Authorization: Bearer ${person.token}`, `X-Long: ${'x'.repeat(16 * KIB)}`]
    const answer = await sendRaw(port, rawRequest({ method: 'GET', path: PATH, lines }))
    expectEnvelope(answer, [400, 'validation_failed'])
  })

  test('a path of more than 16 KiB is 400 in the envelope', async () => {
    const path = `${PATH}/${'x'.repeat(17 * KIB)}`
    expectEnvelope(await sendRaw(port, rawRequest({ method: 'GET', path })), [
      400,
      'validation_failed',
    ])
  })

  test.each([
    ['no HTTP at all', 'hello\r\n\r\n'],
    ['a method that does not exist', rawRequest({ method: 'STEAL', path: PATH })],
    ['two lengths', rawRequest({ path: PATH, lines: ['Content-Length: 1', 'Content-Length: 2'] })],
    [
      'a length and chunks',
      rawRequest({ path: PATH, lines: ['Content-Length: 2', 'Transfer-Encoding: chunked'] }),
    ],
    [
      'a broken chunk',
      `${rawRequest({ path: PATH, lines: ['Transfer-Encoding: chunked'] })}zz\r\n`,
    ],
  ])('%s is 400 in the envelope', async (_what, request) => {
    expectEnvelope(await sendRaw(port, request), [400, 'validation_failed'])
  })
})

describe('slow requests', () => {
  /** Sends one drop after another for as long as the server listens. */
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

  test('headers that come in drops are ended by the server', async () => {
    const start = 'GET /health/live HTTP/1.1\r\nHost: localhost\r\n'
    const { answer, ms } = await dribble({ start, drop: 'X-A: b\r\n' })
    expect(ms).toBeLessThan(15_000)
    expectEnvelope(answer, [400, 'validation_failed'])
  })

  test('a body that comes in drops is ended by the server, and makes nothing', async () => {
    const before = await countOrganizations()
    const lines = [...jsonLines(), 'Content-Length: 5000']
    const { answer, ms } = await dribble({ start: rawRequest({ path: PATH, lines }), drop: ' ' })
    expect(ms).toBeLessThan(15_000)
    expectEnvelope(answer, [400, 'validation_failed'])
    expect(await countOrganizations()).toBe(before)
  })
})

describe('what Node would answer by itself', () => {
  test.each([
    ['a request without a host', 'GET /v1/consumer/me HTTP/1.1\r\nConnection: close\r\n\r\n'],
    [
      'an expectation nobody knows',
      'GET /v1/consumer/me HTTP/1.1\r\nHost: x\r\nExpect: magic\r\nConnection: close\r\n\r\n',
    ],
  ])('%s is answered as any other', async (_name, request) => {
    expectEnvelope(await sendRaw(port, request), [401, 'unauthenticated'])
  })
})
