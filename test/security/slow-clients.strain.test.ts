/** Slow clients lose their connection at any stage; event streams do not. */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { Readable } from 'node:stream'
import fastify, { type FastifyInstance } from 'fastify'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { buildApp } from '#app.ts'
import { CLIENT_LIMITS, type ClientLimits, registerSlowClients } from '#http/slow-clients.ts'
import { rawRequest } from '#test/security/raw-http.ts'
import {
  createOrganization,
  type Organization,
  startTestApp,
  type TestApp,
} from '#test/support/app.ts'

let service: TestApp
let acme: Organization
const apps: FastifyInstance[] = []
const sockets: Socket[] = []

beforeAll(async () => {
  service = await startTestApp({ streams: { lifetimeMs: 600_000, keepaliveMs: 100 } })
  acme = await createOrganization(service)
})
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  for (const app of apps.splice(0)) await app.close()
})
afterAll(() => service.stop())

const DAY_MS = 24 * 60 * 60 * 1000
/** Disables every limit except the one that a test sets. */
const patient: ClientLimits = {
  ...{ requestMs: DAY_MS, uploadMs: DAY_MS, answerMs: DAY_MS, idleMs: DAY_MS, lingerMs: DAY_MS },
}

async function serve(limits: Partial<ClientLimits>): Promise<FastifyInstance> {
  const app = await buildApp(service.ctx, undefined, { ...patient, ...limits })
  apps.push(app)
  await app.listen({ host: '127.0.0.1', port: 0 })
  return app
}

/** A client that ignores the server's end of stream and keeps its own half open. */
async function open(app: FastifyInstance): Promise<Socket> {
  const { port } = app.server.address() as AddressInfo
  const socket = connect({ host: '127.0.0.1', port, allowHalfOpen: true })
  sockets.push(socket)
  socket.on('error', () => {})
  await once(socket, 'connect')
  return socket
}

const received = (socket: Socket) => {
  const chunks: Buffer[] = []
  socket.on('data', (chunk) => chunks.push(chunk))
  return () => Buffer.concat(chunks).toString()
}

const connections = (app: FastifyInstance): Promise<number> =>
  new Promise((resolve, reject) =>
    app.server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  )

/** Sends a piece at every poll, so that the connection is never idle. */
const untilCut = (app: FastifyInstance, drop: () => void = () => {}) =>
  expect
    .poll(
      () => {
        drop()
        return connections(app)
      },
      { timeout: 15_000, interval: 50 },
    )
    .toBe(0)

const dropping = (socket: Socket, drop: string) => () => {
  if (socket.writable) socket.write(drop)
}

const authorized = () => [
  `Authorization: Bearer ${acme.owner.token}`,
  'Content-Type: application/json',
]
const ORGANIZATIONS = '/v1/consumer/organizations'

test("the server has the service's limits", async () => {
  const { server } = service.app
  expect(server.requestTimeout).toBe(CLIENT_LIMITS.uploadMs)
  expect(server.headersTimeout).toBe(CLIENT_LIMITS.requestMs)
  expect(server.timeout).toBe(CLIENT_LIMITS.idleMs)
})

describe('a request that does not arrive in time', () => {
  const limits = { requestMs: 300, lingerMs: 300 }

  test('is disconnected when no byte was sent', async () => {
    const app = await serve(limits)
    await open(app)
    await untilCut(app)
  })

  test('is disconnected with a 400 while its headers trickle in', async () => {
    const app = await serve(limits)
    const socket = await open(app)
    const text = received(socket)
    socket.write('GET /health/live HTTP/1.1\r\nHost: localhost\r\n')
    await untilCut(app, dropping(socket, 'X-A: b\r\n'))
    expect(text()).toMatch(/^HTTP\/1\.1 400 .*"code":"validation_failed"/s)
  })

  test('is disconnected with a 400 while its body trickles in', async () => {
    const app = await serve(limits)
    const socket = await open(app)
    const text = received(socket)
    const lines = [...authorized(), 'Content-Length: 60000']
    socket.write(rawRequest({ path: ORGANIZATIONS, lines }))
    await untilCut(app, dropping(socket, ' '))
    expect(text()).toMatch(/^HTTP\/1\.1 400 .*did not arrive in time/s)
  })

  test('gets no second answer when it was refused before its body arrived', async () => {
    const app = await serve(limits)
    const socket = await open(app)
    const text = received(socket)
    socket.write(
      `POST ${ORGANIZATIONS} HTTP/1.1\r\nHost: localhost\r\n` +
        'Content-Type: application/json\r\nContent-Length: 60000\r\n\r\n',
    )
    await untilCut(app, dropping(socket, ' '))
    expect(text().match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 401'])
  })

  test('gets nothing written into an event stream opened before its body arrived', async () => {
    const app = await serve(limits)
    const socket = await open(app)
    const text = received(socket)
    const lines = [...authorized(), 'Content-Length: 60000']
    const path = `${acme.path}/live/stream`
    socket.write(rawRequest({ method: 'GET', path, lines }))
    await untilCut(app, dropping(socket, ' '))
    expect(text().match(/HTTP\/1\.1 \d+/g)).toHaveLength(1)
  })
})

describe('an upload', () => {
  const begin = (socket: Socket, token = acme.owner.token) => {
    const lines = [
      ...[`Authorization: Bearer ${token}`, 'Content-Type: application/pdf'],
      ...['Content-Disposition: attachment; filename=a.pdf', 'Content-Length: 60000'],
      `Idempotency-Key: ${randomUUID()}`,
    ]
    socket.write(`${rawRequest({ path: `${acme.path}/attachments`, lines })}%PDF-`)
  }

  test('of a member may take longer than another request, and is stored', async () => {
    const app = await serve({ requestMs: 300, lingerMs: 300 })
    const socket = await open(app)
    const text = received(socket)
    begin(socket)
    // Longer than the limit of other requests and Node's check interval together.
    let rest = 60_000 - 5
    const started = performance.now()
    await expect
      .poll(
        () => {
          if (rest > 1) socket.write('x')
          rest -= rest > 1 ? 1 : 0
          return performance.now() - started
        },
        { interval: 50 },
      )
      .toBeGreaterThan(2_000)
    socket.write('x'.repeat(rest))
    await expect.poll(text).toMatch(/^HTTP\/1\.1 201 /)
  })

  test('is disconnected with a 400 when its own time has passed', async () => {
    const app = await serve({ requestMs: 100, uploadMs: 600, lingerMs: 300 })
    const socket = await open(app)
    const text = received(socket)
    begin(socket)
    await untilCut(app, dropping(socket, ' '))
    expect(text()).toMatch(/^HTTP\/1\.1 400 .*did not arrive in time/s)
  })

  test('of a stranger gets the time of any other request', async () => {
    const app = await serve({ requestMs: 2_000, lingerMs: 300 })
    const socket = await open(app)
    const text = received(socket)
    begin(socket, 'nobody')
    // What is still unread when the server cuts the connection is lost.
    await expect.poll(text).toMatch('HTTP/1.1 401')
    await untilCut(app, dropping(socket, ' '))
    expect(text().match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 401'])
  })
})

test('a client that reads its answers too slowly is disconnected', async () => {
  const app = await serve({ answerMs: 500 })
  const socket = await open(app)
  socket.pause()
  // More than the kernel buffers for a connection, as answers to pipelined requests.
  const line = 'GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n'
  socket.write(line.repeat(200))
  await untilCut(app, () => void socket.read(1))
})

describe('a streamed answer', () => {
  const PAGES = 200
  const PAGE = Buffer.alloc(1024 * 1024, 'x')

  /** An endless enough answer of its own, on a public path. */
  async function serveStream(answerMs: number) {
    const app = fastify({ routerOptions: {} })
    registerSlowClients(app, { requestMs: 60_000, answerMs })
    app.get('/file', async (_request, reply) =>
      reply.send(Readable.from(Array.from({ length: PAGES }, () => PAGE))),
    )
    apps.push(app)
    await app.listen({ host: '127.0.0.1', port: 0 })
    const socket = await open(app)
    return { app, socket }
  }

  test('is cut when the client stops reading', async () => {
    const { app, socket } = await serveStream(300)
    socket.pause()
    socket.write(rawRequest({ method: 'GET', path: '/file', lines: [] }))
    await untilCut(app, () => void socket.read(1))
  })

  test('takes longer than the limit of other answers while the client reads', async () => {
    const { socket } = await serveStream(1_000)
    let bytes = 0
    let chunks = 0
    socket.on('data', (chunk) => {
      bytes += chunk.length
      chunks += 1
      // About two seconds in all.
      if (chunks % 100 === 0) {
        socket.pause()
        setTimeout(() => socket.resume(), 60)
      }
    })
    socket.write(rawRequest({ method: 'GET', path: '/file', lines: ['Connection: close'] }))
    await once(socket, 'end')
    expect(bytes).toBeGreaterThan(PAGES * PAGE.length)
  })
})

test('an event stream outlives the limits of requests and answers', async () => {
  const app = await serve({ requestMs: 300, answerMs: 300, lingerMs: 300, idleMs: 2_000 })
  const socket = await open(app)
  const text = received(socket)
  const lines = [`Authorization: Bearer ${acme.owner.token}`]
  socket.write(rawRequest({ method: 'GET', path: `${acme.path}/live/stream`, lines }))
  // Thirty keepalives take three seconds, longer than each limit and Node's check interval.
  const keepalives = () => text().match(/: keepalive/g)?.length ?? 0
  await expect.poll(keepalives, { timeout: 15_000 }).toBeGreaterThanOrEqual(30)
  expect(await connections(app)).toBe(1)
})
