import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { postToEndpoint } from '#adapters/push/endpoint-request.ts'
import type { Resolve } from '#adapters/push/push-endpoint.ts'
import type { WebPushOptions } from '#adapters/push/web-push.ts'
import { systemClock } from '#platform/clock.ts'
import { type Device, makeDevice, readVapid } from '#test/push/device.ts'
import { type PushServer, startPushServer } from '#test/push/push-server.ts'
import { messageFor, pushWith, vapid } from '#test/push/sending.ts'

let server: PushServer
let device: Device

beforeAll(async () => {
  server = await startPushServer()
  device = makeDevice()
})
afterEach(() => server.answer(undefined))
afterAll(() => server.close())

const messageTo = (endpoint: string) => messageFor(device, endpoint)

const lastReceived = () => {
  const last = server.received.at(-1)
  if (!last) throw new Error('Nothing was received')
  return last
}

test('the test device decrypts the example of RFC 8291', () => {
  const reader = makeDevice({
    privateKey: 'q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94',
    auth: Buffer.from('BTBZMqHH6r4Tts7J_aSIgg', 'base64url'),
  })
  const message =
    'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmY' +
    'WAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexS' +
    'gSxsj_Qulcy4a-fN'
  expect(reader.decrypt(Buffer.from(message, 'base64url'))).toBe(
    'When I grow up, I want to be a watermelon',
  )
  const broken = Buffer.from(message, 'base64url')
  broken[broken.length - 1] = 0
  expect(() => reader.decrypt(broken)).toThrow()
})

describe('a message', () => {
  test('is encrypted for the device only', async () => {
    const message = messageTo(server.endpoint('device-1'))
    expect(await pushWith().send(message)).toBe('delivered')
    const { body, headers, method, path } = lastReceived()
    expect([method, path]).toEqual(['POST', '/device-1'])
    expect(device.decrypt(body)).toBe(message.body)
    expect(body.toString('latin1')).not.toContain('eventId')
    expect(() => makeDevice().decrypt(body)).toThrow()
    expect(headers).toMatchObject({
      'content-encoding': 'aes128gcm',
      ttl: '3600',
      urgency: 'high',
      topic: 'a-topic',
      connection: 'close',
      host: `127.0.0.1:${server.port}`,
    })
  })

  test('is signed for that push service, for less than a day', async () => {
    await pushWith().send(messageTo(server.endpoint('device-1')))
    const { claims, publicKey } = readVapid(String(lastReceived().headers.authorization))
    const now = systemClock.now().getTime() / 1000
    expect(publicKey).toBe(vapid.publicKey)
    expect(claims).toEqual({
      aud: `https://127.0.0.1:${server.port}`,
      exp: expect.any(Number),
      sub: vapid.subject,
    })
    expect(claims.exp).toBeGreaterThan(now)
    expect(claims.exp).toBeLessThanOrEqual(now + 24 * 3_600)
  })

  test('goes to the checked address under its host name', async () => {
    const asked: string[] = []
    const resolve: Resolve = async (hostname) => {
      asked.push(hostname)
      return [{ address: '127.0.0.1' }]
    }
    const endpoint = server.endpoint('named', 'push.example')
    expect(await pushWith({ resolve }).send(messageTo(endpoint))).toBe('delivered')
    expect(asked).toEqual(['push.example'])
    expect(lastReceived()).toMatchObject({
      servername: 'push.example',
      headers: { host: `push.example:${server.port}` },
    })
  })
})

test('requires a valid certificate except on loopback', async () => {
  const target = { url: new URL(server.endpoint('a', 'push.example')), address: '127.0.0.1' }
  const sealed = { method: 'POST', headers: {}, body: Buffer.alloc(1), endpoint: '' } as const
  const before = server.received.length
  await expect(
    postToEndpoint({ ...target, isLoopback: false }, sealed, 2_000),
  ).rejects.toMatchObject({
    code: 'DEPTH_ZERO_SELF_SIGNED_CERT',
  })
  expect(server.received).toHaveLength(before)
  expect(await postToEndpoint({ ...target, isLoopback: true }, sealed, 2_000)).toMatchObject({
    status: 201,
  })
})

describe("the push service's answer", () => {
  const send = () => pushWith().send(messageTo(server.endpoint('device-1')))

  test.each([
    [200, {}, 'delivered'],
    [202, {}, 'delivered'],
    [404, {}, 'gone'],
    [410, {}, 'gone'],
    [400, {}, { rejected: 'answered 400' }],
    [401, {}, { rejected: 'answered 401' }],
    [413, {}, { rejected: 'answered 413' }],
    [429, { 'retry-after': '17' }, { retryAfterSeconds: 17, reason: 'answered 429' }],
    [429, {}, { retryAfterSeconds: null, reason: 'answered 429' }],
    [503, { 'retry-after': 'soon' }, { retryAfterSeconds: null, reason: 'answered 503' }],
    [500, {}, { retryAfterSeconds: null, reason: 'answered 500' }],
  ] as const)('%i gives %o', async (status, headers, outcome) => {
    server.answer((response) => response.writeHead(status, headers).end('ignored'))
    expect(await send()).toEqual(outcome)
  })

  test('may have a Retry-After with a date', async () => {
    const now = new Date('2026-05-01T10:00:00Z')
    server.answer((response) =>
      response.writeHead(429, { 'retry-after': 'Fri, 01 May 2026 10:02:00 GMT' }).end(),
    )
    const push = pushWith({ clock: { now: () => now } })
    expect(await push.send(messageTo(server.endpoint('device-1')))).toEqual({
      retryAfterSeconds: 120,
      reason: 'answered 429',
    })
  })

  test.each([301, 302, 303, 307, 308])('redirecting (%i) is not followed', async (status) => {
    const trap = await startPushServer()
    server.answer((response) => response.writeHead(status, { location: trap.endpoint('b') }).end())
    expect(await send()).toEqual({ rejected: `answered ${status}` })
    expect(trap.connections()).toBe(0)
    await trap.close()
  })

  test('is taken without waiting for its body', async () => {
    server.answer((response) => {
      response.writeHead(201)
      const flood = () => {
        while (!response.destroyed && response.write(Buffer.alloc(64 * 1024)));
      }
      response.on('drain', flood)
      flood()
    })
    expect(await send()).toBe('delivered')
  })

  test('is cut off at endless headers', async () => {
    server.answer((response) => response.writeHead(201, { 'x-long': 'x'.repeat(12_000) }).end())
    expect(await send()).toEqual({
      retryAfterSeconds: null,
      reason: 'failed with HPE_HEADER_OVERFLOW',
    })
  })
})

describe('a slow push service', () => {
  let raw: Server
  const sockets = new Set<Socket>()
  const open = async (onSocket: (socket: Socket) => void) => {
    raw = createServer((socket) => {
      sockets.add(socket)
      socket.on('error', () => {})
      onSocket(socket)
    })
    raw.listen(0, '127.0.0.1')
    await once(raw, 'listening')
    const address = raw.address()
    return typeof address === 'object' && address ? `https://127.0.0.1:${address.port}/a` : ''
  }
  afterEach(() => {
    for (const socket of sockets) socket.destroy()
    raw?.close()
  })

  const late = { retryAfterSeconds: null, reason: 'did not answer in time' }
  const timed = async (endpoint: string, options: Partial<WebPushOptions> = {}) => {
    const started = performance.now()
    const outcome = await pushWith({ timeoutMs: 300, ...options }).send(messageTo(endpoint))
    return { outcome, ms: performance.now() - started }
  }

  test('is abandoned after the time-out when it never completes the handshake', async () => {
    const { outcome, ms } = await timed(await open(() => {}))
    expect(outcome).toEqual(late)
    expect(ms).toBeGreaterThan(250)
    expect(ms).toBeLessThan(15_000)
  })

  test('is abandoned after the time-out when it never answers', async () => {
    server.answer(() => {})
    expect((await timed(server.endpoint('a'))).outcome).toEqual(late)
  })

  test('is abandoned after the time-out although it sends single bytes', async () => {
    const timers = new Set<NodeJS.Timeout>()
    server.answer((response) => {
      const { socket } = response
      socket?.write('HTTP/1.1 201 Created\r\nX: ')
      timers.add(setInterval(() => socket?.write('a'), 20))
    })
    const { outcome, ms } = await timed(server.endpoint('a'))
    for (const timer of timers) clearInterval(timer)
    expect(outcome).toEqual(late)
    expect(ms).toBeLessThan(15_000)
  })

  test('is abandoned after the time-out when its name does not resolve', async () => {
    const resolve: Resolve = () => new Promise(() => {})
    const { outcome } = await timed('https://slow.example/a', { resolve })
    expect(outcome).toEqual(late)
    await expect(
      pushWith({ timeoutMs: 50, resolve }).checkEndpoint('https://slow.example/a'),
    ).rejects.toMatchObject({ code: 'dependency_unavailable' })
  })

  test('is tried again later when it closes the connection', async () => {
    const endpoint = await open((socket) => socket.destroy())
    expect((await timed(endpoint)).outcome).toEqual({
      retryAfterSeconds: null,
      reason: expect.stringMatching(/^failed with ECONNRESET$|^gave no usable answer$/),
    })
    raw.close()
    expect((await timed('https://127.0.0.1:1/a')).outcome).toEqual({
      retryAfterSeconds: null,
      reason: 'failed with ECONNREFUSED',
    })
  })
})
