/** Life cycle of a stream: keepalives, lifetime, cut-off of slow readers, shutdown. */
import { connect, type Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Config } from '#platform/config/config.ts'
import { createLog } from '#platform/log.ts'
import {
  createOrganization,
  type Organization,
  startTestApp,
  type TestApp,
} from '#test/support/app.ts'
import { baseUrl, openedLive, writeEvent, writeEvents } from '#test/support/live.ts'

let service: TestApp
let acme: Organization
const lines: Record<string, unknown>[] = []
const cleanUps: (() => void)[] = []

beforeAll(async () => {
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) }
  const log = createLog({ level: 'info', destination })
  service = await startTestApp({ streams: { keepaliveMs: 30, perAccount: 100 }, replace: { log } })
  acme = await createOrganization(service)
})
afterAll(() => service.stop())
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0)) cleanUp()
  await expect.poll(() => metric('countersign_live_streams_open')).toBe(0)
})

const rules = (streams: Partial<Config['streams']>) => {
  const usual = { lifetimeMs: 600_000, keepaliveMs: 15_000, backlogMaxBytes: 1_048_576 }
  Object.assign(service.ctx.config.streams, { ...usual, ...streams })
  lines.length = 0
}

const follow = async () => {
  const client = await openedLive(service, `${acme.path}/live/stream`, { token: acme.owner.token })
  cleanUps.push(() => client.close())
  return client
}

const metric = async (name: string): Promise<number> => {
  const text = await service.ctx.metrics.registry.metrics()
  const line = text.split('\n').find((candidate) => candidate.startsWith(`${name} `))
  return Number(line?.split(' ')[1] ?? 0)
}

/** The access log line of an ended stream. */
const requestLines = () =>
  lines.filter(({ msg, route }) => msg === 'request' && String(route).endsWith('/live/stream'))

test('a stream with an elapsed lifetime is a complete response', async () => {
  rules({ lifetimeMs: 0 })
  const { token } = acme.owner
  const { status, text } = await service.call('GET', `${acme.path}/live/stream`, { token })
  expect(status).toBe(200)
  expect(text).toMatch(/^retry: 3000\n\nid: [\w-]{44}\n\n: end: lifetime\n\n$/)
})

test('an idle stream sends keepalives', async () => {
  rules({ keepaliveMs: 30 })
  const client = await follow()
  await expect.poll(() => client.comments.length).toBeGreaterThan(3)
  expect(new Set(client.comments)).toEqual(new Set(['keepalive']))
  expect(client.text).toContain('\n\n: keepalive\n\n: keepalive\n\n')
})

test('a stream ends after its lifetime, and the log states its duration', async () => {
  rules({ lifetimeMs: 400, keepaliveMs: 50 })
  const client = await follow()
  await client.ended()
  expect(client.comments.at(-1)).toBe('end: lifetime')
  await expect.poll(() => requestLines()).toHaveLength(1)
  const [line] = requestLines()
  expect(line).toMatchObject({
    status: 200,
    requestId: client.headers['x-request-id'],
    accountId: acme.owner.accountId,
    realm: 'consumer',
  })
  expect(line?.ms).toBeGreaterThanOrEqual(400)
})

test('a client that disconnects is removed and logged once', async () => {
  rules({})
  const leftBefore = await metric('countersign_live_streams_ended_total{reason="left"}')
  const client = await follow()
  expect(await metric('countersign_live_streams_open')).toBe(1)
  client.close()
  await expect.poll(() => metric('countersign_live_streams_open')).toBe(0)
  expect(await metric('countersign_live_streams_ended_total{reason="left"}')).toBe(leftBefore + 1)
  expect(requestLines()).toHaveLength(1)
})

describe('a slow client', () => {
  /** Sends the request and reads nothing of the response. */
  async function connectAndSleep(): Promise<Socket> {
    const { hostname, port } = new URL(await baseUrl(service))
    const socket = connect({ host: hostname, port: Number(port) })
    cleanUps.push(() => void socket.destroy())
    socket.on('error', () => {})
    socket.pause()
    socket.write(
      `GET ${acme.path}/live/stream HTTP/1.1\r\nHost: x\r\n` +
        `Authorization: Bearer ${acme.owner.token}\r\n\r\n`,
    )
    return socket
  }

  test('is cut off without affecting others, and can resume from its last id', async () => {
    rules({})
    const cutBefore = await metric('countersign_live_streams_ended_total{reason="slow"}')
    const good = await follow()
    const slow = await connectAndSleep()
    await expect.poll(() => metric('countersign_live_streams_open')).toBe(2)
    const written: string[] = []
    // Socket buffers hold some megabytes before the server's own buffer grows.
    while ((await metric('countersign_live_streams_open')) > 1 && written.length < 10_000) {
      written.push(...(await writeEvents(service, acme.id, 100, 4_000)))
      await good.received(written.length)
    }
    expect(await metric('countersign_live_streams_ended_total{reason="slow"}')).toBe(cutBefore + 1)
    const resumed = await good.received(written.length)
    expect(resumed).toEqual(written)
    expect(good.isEnded).toBe(false)
    slow.resume()
    await expect.poll(() => slow.closed).toBe(true)
  })

  test('is disconnected at the end of its lifetime, whatever it has not read', async () => {
    rules({ lifetimeMs: 1_000, keepaliveMs: 50 })
    await connectAndSleep()
    await expect.poll(() => metric('countersign_live_streams_open')).toBe(1)
    await expect.poll(() => metric('countersign_live_streams_open')).toBe(0)
    await expect.poll(() => requestLines()).toHaveLength(1)
  })
})

test('metrics count sent events and their lag', async () => {
  rules({})
  const sent = await metric('countersign_live_events_sent_total')
  const lags = await metric('countersign_live_lag_seconds_count')
  const clients = [await follow(), await follow()]
  await writeEvent(service, acme.id)
  for (const client of clients) await client.received(1)
  expect(await metric('countersign_live_events_sent_total')).toBe(sent + 2)
  expect(await metric('countersign_live_lag_seconds_count')).toBe(lags + 1)
})

test('stopping ends all streams with a reason and refuses new ones', async () => {
  rules({})
  const clients = [await follow(), await follow()]
  const begun = performance.now()
  await service.app.close()
  expect(performance.now() - begun).toBeLessThan(30_000)
  for (const client of clients) {
    await client.ended()
    expect(client.comments.at(-1)).toBe('end: stopping')
  }
  expect(await metric('countersign_live_streams_open')).toBe(0)
})
