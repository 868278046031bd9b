import { afterEach, describe, expect, test } from 'vitest'
import { createClient } from './client.ts'
import { followLive, type LiveFeed, type LiveState } from './live.ts'
import { type FakeTimers, fakeTimers, json, refusal, settle } from './testing.ts'

const scope = { organizationId: '0191a000-0000-7000-8000-000000000001' }
const transportPolicy = {
  keepaliveSeconds: 15,
  staleAfterSeconds: 30,
  snapshotPollSeconds: 15,
  maxConnectionSeconds: 600,
}

/** One connection that the test writes to. */
type Connection = {
  lastEventId: string | null
  isAborted(): boolean
  write(text: string): Promise<void>
  event(cursor: string, kind?: string): Promise<void>
  /** Ends it with a reason, or without one. */
  end(reason?: string): Promise<void>
}

type Service = {
  connections: Connection[]
  snapshots: { ifNoneMatch: string | null }[]
  version: number
  /** Overrides answers to streams or snapshots. */
  refuse: { stream?: () => Response; snapshot?: () => Response }
}

const eventText = (cursor: string, kind: string) =>
  `id: ${cursor}\nevent: ${kind}\ndata: ${JSON.stringify({ cursor, kind, code: null })}\n\n`

function connect(request: Request, service: Service): Response {
  const encoder = new TextEncoder()
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined
  const body = new ReadableStream<Uint8Array>({
    start: (given) => {
      controller = given
    },
  })
  request.signal.addEventListener('abort', () => controller?.error(request.signal.reason))
  const write = async (text: string) => {
    controller?.enqueue(encoder.encode(text))
    await settle()
  }
  service.connections.push({
    lastEventId: request.headers.get('last-event-id'),
    isAborted: () => request.signal.aborted,
    write,
    event: (cursor, kind = 'expense.changed') => write(eventText(cursor, kind)),
    async end(reason) {
      if (reason !== undefined) await write(`: end: ${reason}\n\n`)
      controller?.close()
      await settle()
    },
  })
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
}

function answer(request: Request, service: Service): Response {
  if (request.url.endsWith('/stream')) {
    return service.refuse.stream?.() ?? connect(request, service)
  }
  const ifNoneMatch = request.headers.get('if-none-match')
  service.snapshots.push({ ifNoneMatch })
  if (service.refuse.snapshot) return service.refuse.snapshot()
  const etag = `W/"${service.version}"`
  if (ifNoneMatch === etag) return new Response(null, { status: 304 })
  return json({ cursor: `s${service.version}`, transportPolicy }, { headers: { etag } })
}

type Opened = {
  feed: LiveFeed
  service: Service
  timers: FakeTimers
  seen: string[]
  states: LiveState[]
}

const feeds: LiveFeed[] = []
afterEach(() => {
  for (const feed of feeds.splice(0)) feed.stop()
})

async function open(refuse: Service['refuse'] = {}): Promise<Opened> {
  const service: Service = { connections: [], snapshots: [], version: 1, refuse }
  const timers = fakeTimers()
  const client = createClient({
    baseUrl: 'https://api.test',
    timers,
    random: () => 0.5,
    retry: { attemptsMax: 1 },
    fetch: async (request) => answer(request, service),
  })
  const seen: string[] = []
  const states: LiveState[] = []
  const feed = followLive(client, {
    scope,
    onSnapshot: ({ cursor }) => void seen.push(`snapshot ${cursor}`),
    onEvent: ({ cursor }) => void seen.push(cursor),
    onState: (state) => void states.push(state),
  })
  feeds.push(feed)
  await timers.advance(0)
  return { feed, service, timers, seen, states }
}

const phases = ({ states }: Opened) => states.map(({ phase }) => phase)
const last = ({ service }: Opened): Connection => {
  const found = service.connections.at(-1)
  if (!found) throw new Error('There is no connection')
  return found
}

test('reads the snapshot, then the stream from its cursor', async () => {
  const live = await open()
  expect(live.seen).toEqual(['snapshot s1'])
  expect(last(live).lastEventId).toBe('s1')
  expect(live.feed.state.phase).toBe('connecting')
  await last(live).write('retry: 3000\n\n')
  expect(live.feed.state.phase).toBe('live')
  await last(live).event('e1')
  await last(live).event('e2')
  expect(live.seen).toEqual(['snapshot s1', 'e1', 'e2'])
})

test('an event that arrives in pieces is delivered once, when it is complete', async () => {
  const live = await open()
  const text = eventText('é1', 'expense.changed')
  await last(live).write(text.slice(0, 30))
  expect(live.seen).toEqual(['snapshot s1'])
  await last(live).write(text.slice(30))
  expect(live.seen).toEqual(['snapshot s1', 'é1'])
})

describe('after the end of a stream', () => {
  test.each(['lifetime', 'restored', 'slow', 'stopping', 'token'])(
    '%s: reconnects at once after the last event',
    async (reason) => {
      const live = await open()
      await last(live).event('e1')
      await last(live).end(reason)
      await live.timers.advance(0)
      expect(live.service.connections).toHaveLength(2)
      expect(last(live).lastEventId).toBe('e1')
      expect(live.service.snapshots).toHaveLength(1)
    },
  )

  test('a loss: reconnects after `retry` and jitter, which grow', async () => {
    const live = await open()
    await last(live).write('retry: 2000\n\n')
    await last(live).event('e1')
    await last(live).end()
    await live.timers.advance(2_999)
    expect(live.service.connections).toHaveLength(1)
    await live.timers.advance(1)
    expect(live.service.connections).toHaveLength(2)
    expect(last(live).lastEventId).toBe('e1')
    await last(live).end('trouble')
    await live.timers.advance(3_999)
    expect(live.service.connections).toHaveLength(2)
    await live.timers.advance(1)
    expect(live.service.connections).toHaveLength(3)
  })

  test('streams that end at once over and over: does not hurry', async () => {
    const live = await open()
    await last(live).end('lifetime')
    await live.timers.advance(0)
    await last(live).end('lifetime')
    await live.timers.advance(0)
    expect(live.service.connections).toHaveLength(2)
    await live.timers.advance(10_000)
    expect(live.service.connections).toHaveLength(3)
  })

  test.each(['access', 'replaced'] as const)('%s: stops and says so', async (reason) => {
    const live = await open()
    await last(live).end(reason)
    expect(await live.feed.ended).toEqual({ phase: 'ended', reason })
    await live.timers.advance(600_000)
    expect(live.service.connections).toHaveLength(1)
  })
})

test('a reset reads the snapshot again and reopens the stream from its cursor', async () => {
  const live = await open()
  await last(live).event('e1')
  live.service.version = 2
  await last(live).write(eventText('x', 'stream.reset') + eventText('e9', 'expense.changed'))
  await live.timers.advance(0)
  expect(live.seen).toEqual(['snapshot s1', 'e1', 'snapshot s2'])
  expect(last(live).lastEventId).toBe('s2')
  expect(live.service.connections[0]?.isAborted()).toBe(true)
})

describe('silence', () => {
  test('of 30 s turns to polling with the tag, until a stream speaks again', async () => {
    const live = await open()
    await last(live).write(': keepalive\n\n')
    await live.timers.advance(29_000)
    await last(live).write(': keepalive\n\n')
    await live.timers.advance(29_999)
    expect(live.feed.state.phase).toBe('live')
    await live.timers.advance(1)
    expect(live.feed.state.phase).toBe('polling')
    expect(live.service.connections[0]?.isAborted()).toBe(true)
    expect(live.service.snapshots.at(-1)).toEqual({ ifNoneMatch: 'W/"1"' })
    expect(live.seen).toEqual(['snapshot s1'])
    live.service.version = 2
    await live.timers.advance(15_000)
    expect(live.seen).toEqual(['snapshot s1', 'snapshot s2'])
    // The stream resumes where it was: a polled snapshot takes no event away.
    expect(last(live).lastEventId).toBe('s1')
    await last(live).event('e1')
    const polls = live.service.snapshots.length
    await live.timers.advance(29_000)
    expect(live.service.snapshots).toHaveLength(polls)
    expect(phases(live)).toEqual(['live', 'polling', 'live'])
  })

  test('of a stream that opens and says nothing ends it, again and again', async () => {
    const live = await open()
    await live.timers.advance(30_000)
    expect(live.feed.state.phase).toBe('polling')
    await live.timers.advance(6_000)
    expect(live.service.connections).toHaveLength(2)
    expect(last(live).isAborted()).toBe(false)
    await live.timers.advance(40_000)
    expect(live.service.connections[1]?.isAborted()).toBe(true)
    expect(live.service.connections.length).toBeGreaterThan(2)
    const polls = live.service.snapshots.length
    await live.timers.advance(15_000)
    expect(live.service.snapshots).toHaveLength(polls + 1)
  })

  test('of a service that refuses streams is bridged by polling', async () => {
    const live = await open({ stream: () => refusal(503, 'dependency_unavailable') })
    await live.timers.advance(46_000)
    expect(live.feed.state.phase).toBe('polling')
    const polled = live.service.snapshots.length
    live.service.version = 2
    await live.timers.advance(15_000)
    expect(live.service.snapshots.length).toBe(polled + 1)
    expect(live.seen).toEqual(['snapshot s1', 'snapshot s2'])
    delete live.service.refuse.stream
    await live.timers.advance(30_000)
    await last(live).event('e1')
    expect(live.feed.state.phase).toBe('live')
  })
})

describe('a refusal', () => {
  test.each([
    [401, 'unauthenticated'],
    [403, 'forbidden'],
    [401, 'account_disabled'],
  ])('of the snapshot with %i %s ends the feed', async (status, code) => {
    const live = await open({ snapshot: () => refusal(status, code) })
    expect(await live.feed.ended).toMatchObject({ reason: 'refused', failure: { code } })
  })

  test('of a poll ends the feed', async () => {
    const live = await open()
    live.service.refuse.snapshot = () => refusal(403, 'forbidden')
    await live.timers.advance(30_000)
    expect(await live.feed.ended).toMatchObject({ reason: 'refused' })
  })

  test('for the time being is not the end, and Retry-After counts', async () => {
    const refuse = { snapshot: () => refusal(429, 'rate_limited', { 'retry-after': '25' }) }
    const live = await open(refuse)
    await live.timers.advance(24_999)
    expect(live.service.snapshots).toHaveLength(1)
    await live.timers.advance(1)
    expect(live.service.snapshots).toHaveLength(2)
  })
})

test('stopping aborts the connection and calls nothing afterwards', async () => {
  const live = await open()
  await last(live).event('e1')
  live.feed.stop()
  expect(await live.feed.ended).toEqual({ phase: 'ended', reason: 'stopped' })
  expect(last(live).isAborted()).toBe(true)
  await live.timers.advance(600_000)
  expect(live.service.snapshots).toHaveLength(1)
  expect(live.seen).toEqual(['snapshot s1', 'e1'])
})
