/** Live streams over real HTTP, read as a browser would, and events written directly. */
import { randomUUID } from 'node:crypto'
import { type ClientRequest, get, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import sql from 'sql-template-tag'
import { expect } from 'vitest'
import { insertLiveEvents, type NewLiveEvent } from '#journal/journal.store.ts'
import type { Tx } from '#platform/database/database.ts'
import { joinOrganization, type Organization, type Person, type TestApp } from './app.ts'

export type LiveMessage = { id: string; event: string; data: Record<string, unknown> }

export type LiveClient = {
  status: number
  headers: IncomingHttpHeaders
  /** As received, in order. */
  messages: LiveMessage[]
  comments: string[]
  /** What a browser would send as Last-Event-ID. */
  readonly lastId: string
  readonly text: string
  readonly isEnded: boolean
  /** All event ids, once there are that many. */
  received(count: number): Promise<string[]>
  ended(): Promise<void>
  close(): void
  pause(): void
}

/** The rules of the standard: fields by line; an empty line ends a message. */
function createParser(onMessage: (m: LiveMessage) => void, onComment: (c: string) => void) {
  let rest = ''
  let id = ''
  let lastId = ''
  let event = ''
  let data: string[] = []
  const onLine = (line: string) => {
    if (line === '') {
      // Only now: an incomplete message does not count as received.
      lastId = id
      if (data.length > 0) onMessage({ id: lastId, event, data: JSON.parse(data.join('\n')) })
      event = ''
      data = []
    } else if (line.startsWith(':')) onComment(line.slice(1).trim())
    else {
      const [, field, value = ''] = /^([^:]*)(?:: ?(.*))?$/.exec(line) ?? []
      if (field === 'id') id = value
      else if (field === 'event') event = value
      else if (field === 'data') data.push(value)
      else expect(line).toBe('retry: 3000')
    }
  }
  return {
    push(text: string) {
      const lines = `${rest}${text}`.split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) onLine(line)
    },
    get lastId() {
      return lastId
    },
  }
}

export type OpenLive = { token?: string; lastEventId?: string; headers?: Record<string, string> }

/** Listens on a port of its own, once. */
export async function baseUrl({ app }: Pick<TestApp, 'app'>): Promise<string> {
  if (!app.server.listening) await app.listen({ host: '127.0.0.1', port: 0 })
  return `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
}

const respond = (request: ClientRequest): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => request.once('response', resolve).once('error', reject))

export const openLive = async (
  service: Pick<TestApp, 'app'>,
  path: string,
  options: OpenLive = {},
): Promise<LiveClient> => openLiveAt(`${await baseUrl(service)}${path}`, options)

export async function openLiveAt(
  url: string,
  { token, lastEventId, headers = {} }: OpenLive,
): Promise<LiveClient> {
  const request = get(url, {
    agent: false,
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
      ...headers,
    },
  })
  const response = await respond(request)
  request.on('error', () => {})
  const messages: LiveMessage[] = []
  const comments: string[] = []
  const parser = createParser(
    (message) => messages.push(message),
    (comment) => comments.push(comment),
  )
  let text = ''
  let isEnded = false
  response.setEncoding('utf8')
  response.on('data', (chunk: string) => {
    text += chunk
    if (response.statusCode === 200) parser.push(chunk)
  })
  response.once('close', () => {
    isEnded = true
  })
  response.on('error', () => {})
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    messages,
    comments,
    get lastId() {
      return parser.lastId
    },
    get text() {
      return text
    },
    get isEnded() {
      return isEnded
    },
    async received(count) {
      await expect.poll(() => messages.length).toBeGreaterThanOrEqual(count)
      return messages.map(({ data }) => String(data.id))
    },
    ended: () => expect.poll(() => isEnded).toBe(true),
    close: () => void request.destroy(),
    pause: () => void response.pause(),
  }
}

/** Waits until it has caught up, so that it receives everything from now on. */
export async function openedLive(...args: Parameters<typeof openLive>): Promise<LiveClient> {
  const client = await openLive(...args)
  expect(client.status).toBe(200)
  await expect.poll(() => client.text).toMatch(/^id: [^\n]+\n\n/m)
  return client
}

/** Joins, and waits until a stream opened afterwards no longer shows that somebody joined. */
export async function joinUnseen(
  service: TestApp,
  ...args: [Organization, Parameters<typeof joinOrganization>[2]]
): Promise<Person> {
  const person = await joinOrganization(service, ...args)
  const isSettled = async () => {
    const [row] = await service.database.asOwner<{ isSettled: boolean }>(
      `select coalesce(max(transaction_id) < pg_snapshot_xmin(pg_current_snapshot()), true)
         as "isSettled" from live_events`,
    )
    return row?.isSettled
  }
  await expect.poll(isSettled, { interval: 5, timeout: 15_000 }).toBe(true)
  return person
}

type Written = Partial<NewLiveEvent>

export async function insertEvent(
  tx: Tx,
  { ctx }: Pick<TestApp, 'ctx'>,
  organizationId: string | null,
  event: Written = {},
): Promise<string> {
  const id = ctx.ids.next()
  const written = {
    id,
    organizationId,
    audience: organizationId === null ? 'admin' : 'both',
    kind: 'integration.changed',
    aggregateType: 'integration',
    aggregateId: randomUUID(),
    targetState: null,
    severity: 'healthy',
    code: null,
    occurredAt: ctx.clock.now().toISOString(),
    ...event,
  } as NewLiveEvent
  insertLiveEvents(tx, [written])
  // Resolves when it has been written, although its transaction may stay open for long.
  await tx.query(sql`select 1 as written`)
  return id
}

/** Writes an event as if something in the organization had changed; returns its id. */
export const writeEvent = (
  service: Pick<TestApp, 'ctx'>,
  organizationId: string | null,
  event: Written = {},
): Promise<string> =>
  service.ctx.db.transaction(organizationId === null ? {} : { organizationId }, (tx) =>
    insertEvent(tx, service, organizationId, event),
  )

/** Writes many at once; returns their ids in order. */
export async function insertEvents(
  tx: Tx,
  organizationId: string,
  count: number,
  /** Slightly more than this many bytes each. */
  size = 10,
): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(sql`
    insert into live_events (id, organization_id, audience, kind, aggregate_type, aggregate_id,
      severity, occurred_at)
    select gen_random_uuid(), ${organizationId}::uuid, 'both', 'integration.changed',
      'integration', repeat('x', ${size}::integer), 'healthy', now()
    from generate_series(1, ${count}::integer) returning id`)
  tx.announce()
  return rows.map(({ id }) => id)
}

export const writeEvents = (
  { ctx }: Pick<TestApp, 'ctx'>,
  organizationId: string,
  count: number,
  size?: number,
): Promise<string[]> =>
  ctx.db.transaction({ organizationId }, (tx) => insertEvents(tx, organizationId, count, size))

/** An event about something of this account's own. */
export async function writeOwnEvent(
  service: Pick<TestApp, 'ctx'>,
  organizationId: string,
  accountId: string,
): Promise<string> {
  const caseId = randomUUID()
  return service.ctx.db.transaction({ organizationId }, async (tx) => {
    await tx.query(sql`
      insert into support_cases (id, organization_id, opened_by_account_id, subject, priority,
        state, created_at, updated_at)
      values (${caseId}, ${organizationId}, ${accountId}, 'A question', 2, 'open', now(), now())`)
    return insertEvent(tx, service, organizationId, {
      kind: 'support_case.changed',
      aggregateType: 'support_case',
      aggregateId: caseId,
      targetState: 'open',
    })
  })
}

export type LateWriter = { id: string; commit(): Promise<void> }

/** Has written its event and delays its commit. */
export async function beginLateEvent(
  service: Pick<TestApp, 'ctx'>,
  organizationId: string,
): Promise<LateWriter> {
  const written = Promise.withResolvers<string>()
  const gate = Promise.withResolvers<void>()
  const done = service.ctx.db.transaction({ organizationId }, async (tx) => {
    written.resolve(await insertEvent(tx, service, organizationId))
    await gate.promise
  })
  const id = await written.promise
  return {
    id,
    async commit() {
      gate.resolve()
      await done
    },
  }
}
