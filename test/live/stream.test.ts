/** Streams over real HTTP: format, starting position and resumption. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { encodeCursor, type LiveScope, type Position } from '#live/cursor.ts'
import { findLiveEnd } from '#live/live.store.ts'
import { untilSettled } from '#test/live/snapshots.ts'
import {
  createOrganization,
  type Organization,
  startTestApp,
  type TestApp,
} from '#test/support/app.ts'
import {
  beginLateEvent,
  type LiveClient,
  openedLive,
  writeEvent,
  writeEvents,
} from '#test/support/live.ts'
import { schemaProblem } from '#test/support/live-event.ts'

let service: TestApp
let acme: Organization
let other: Organization
let operator: string
const clients: LiveClient[] = []

beforeAll(async () => {
  service = await startTestApp({ streams: { lifetimeMs: 600_000, perAccount: 100 } })
  acme = await createOrganization(service)
  other = await createOrganization(service)
  operator = await service.operatorToken()
})
afterAll(() => service.stop())
afterEach(() => {
  for (const client of clients.splice(0)) client.close()
})

type From = { cursor?: string; lastEventId?: string }

async function follow(organization: Organization, { cursor, lastEventId }: From = {}) {
  const query = cursor === undefined ? '' : `?cursor=${encodeURIComponent(cursor)}`
  const { token } = organization.owner
  const client = await openedLive(service, `${organization.path}/live/stream${query}`, {
    token,
    ...(lastEventId === undefined ? {} : { lastEventId }),
  })
  clients.push(client)
  return client
}

async function followAll({ cursor }: From = {}) {
  const query = cursor === undefined ? '' : `?cursor=${cursor}`
  const client = await openedLive(service, `/v1/admin/live/stream${query}`, { token: operator })
  clients.push(client)
  return client
}

const idsOf = ({ messages }: LiveClient) => messages.map(({ data }) => data.id)
const scopeOf = ({ id: organizationId }: Organization): LiveScope => ({
  realm: 'consumer',
  organizationId,
})
const adminScope: LiveScope = { realm: 'admin', organizationId: null }

describe('the format of a stream', () => {
  test('is Server-Sent Events that proxies do not buffer, with the common headers', async () => {
    const { headers, status } = await follow(acme)
    expect(status).toBe(200)
    expect(headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'",
      'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
    })
    expect(headers).not.toHaveProperty('transfer-encoding')
    expect(headers).not.toHaveProperty('content-length')
  })

  test("keeps the caller's request id", async () => {
    const client = await openedLive(service, `${acme.path}/live/stream`, {
      token: acme.owner.token,
      headers: { 'x-request-id': 'mine-1' },
    })
    clients.push(client)
    expect(client.headers['x-request-id']).toBe('mine-1')
  })

  test('starts with the retry delay and a cursor', async () => {
    const { text } = await follow(acme)
    expect(text).toMatch(/^retry: 3000\n\nid: [A-Za-z0-9_-]{8,512}\n\n$/)
  })

  test("has cursor and kind, and the contract's event on one line", async () => {
    const client = await follow(acme)
    const before = client.text.length
    const id = await writeEvent(service, acme.id, { targetState: 'a\nb', code: 'low_gas' })
    await client.received(1)
    const [message] = client.messages
    expect(message).toMatchObject({ event: 'integration.changed', data: { id } })
    expect(message?.id).toBe(message?.data.cursor)
    expect(schemaProblem(message?.data)).toBeUndefined()
    expect(Object.keys(message?.data ?? {})).toEqual(
      'id cursor organizationId audience kind aggregateType aggregateId targetState'
        .split(' ')
        .concat('severity', 'code', 'occurredAt'),
    )
    const lines = client.text.slice(before).split('\n')
    expect(lines.map((line) => line.split(':')[0])).toEqual(['id', 'event', 'data', '', ''])
  })
})

describe('a stream without a cursor', () => {
  test('starts now', async () => {
    await writeEvent(service, acme.id)
    await untilSettled(service)
    const client = await follow(acme)
    const later = await writeEvent(service, acme.id)
    await client.received(1)
    expect(idsOf(client)).toEqual([later])
  })

  test('has an id to resume from before the first event', async () => {
    const client = await follow(acme)
    client.close()
    const missed = await writeEvent(service, acme.id)
    const again = await follow(acme, { lastEventId: client.lastId })
    expect(await again.received(1)).toEqual([missed])
  })
})

describe('a stream with a cursor', () => {
  test.each(['cursor', 'lastEventId'] as const)('resumes after it, given as %s', async (name) => {
    const client = await follow(acme)
    const written = [await writeEvent(service, acme.id), await writeEvent(service, acme.id)]
    await client.received(2)
    written.push(await writeEvent(service, acme.id))
    const again = await follow(acme, { [name]: client.messages[0]?.id })
    written.push(await writeEvent(service, acme.id))
    expect(await again.received(3)).toEqual(written.slice(1))
  })

  test('prefers the header to the query, which clients repeat for ever', async () => {
    const client = await follow(acme)
    const written = [await writeEvent(service, acme.id), await writeEvent(service, acme.id)]
    await client.received(2)
    const [first, second] = client.messages
    const again = await follow(acme, { cursor: first?.id ?? '', lastEventId: second?.id ?? '' })
    expect(idsOf(again)).toEqual([])
    expect(idsOf(client)).toEqual(written)
  })

  test('treats an empty header as absent', async () => {
    await untilSettled(service)
    const client = await follow(acme, { lastEventId: '' })
    expect(client.messages).toEqual([])
  })

  test('catches up over many pages and continues live', async () => {
    const { lastId } = await follow(acme)
    const written = await writeEvents(service, acme.id, 1_203)
    const opening = follow(acme, { lastEventId: lastId })
    for (let n = 0; n < 50; n += 1) written.push(await writeEvent(service, acme.id))
    const client = await opening
    expect(await client.received(written.length)).toEqual(written)
  })

  test('of an operator covers all organizations and events without one', async () => {
    const client = await followAll()
    const written = [
      await writeEvent(service, acme.id),
      await writeEvent(service, other.id),
      await writeEvent(service, null),
    ]
    await writeEvent(service, acme.id, { audience: 'consumer' })
    written.push(await writeEvent(service, other.id, { audience: 'admin' }))
    expect(await client.received(4)).toEqual(written)
    const again = await followAll({ cursor: client.messages[1]?.id ?? '' })
    expect(await again.received(2)).toEqual(written.slice(2))
  })
})

describe('an event that commits late', () => {
  test('is delivered before events that were written after it', async () => {
    const client = await follow(acme)
    const late = await beginLateEvent(service, acme.id)
    const early = await writeEvent(service, acme.id)
    const meanwhile = await follow(acme)
    await late.commit()
    expect(await client.received(2)).toEqual([late.id, early])
    expect(await meanwhile.received(2)).toEqual([late.id, early])
  })

  test('is not missed by a client that reconnects in between', async () => {
    const { lastId } = await follow(acme)
    const late = await beginLateEvent(service, acme.id)
    const early = await writeEvent(service, acme.id)
    const again = await follow(acme, { lastEventId: lastId })
    const third = await follow(acme, { lastEventId: again.lastId })
    await late.commit()
    expect(await again.received(2)).toEqual([late.id, early])
    expect(await third.received(2)).toEqual([late.id, early])
  })
})

describe('a cursor that cannot be resumed', () => {
  const end = (organization: Organization) =>
    service.ctx.db.transaction({ organizationId: organization.id }, (tx) =>
      findLiveEnd(tx, scopeOf(organization)),
    )
  const cursorAt = (epoch: string, scope: LiveScope, position: Position) =>
    encodeCursor(service.ctx.secrets.cursorKey, { epoch, scope, position })

  async function expectReset(client: LiveClient, code: string, organizationId: string | null) {
    const [reset] = client.messages
    expect(client.messages).toHaveLength(1)
    expect(reset).toMatchObject({
      event: 'stream.reset',
      data: { kind: 'stream.reset', code, organizationId, cursor: reset?.id },
    })
    expect(schemaProblem(reset?.data)).toBeUndefined()
  }

  test.each(['x', 'AAAAAAAAAAAA', 'ä€', `${'A'.repeat(10_000)}`, 'a b', "';--"])(
    'because it is malformed (%#) brings one stream.reset, then live events',
    async (cursor) => {
      await untilSettled(service)
      const client = await follow(acme, { cursor })
      await expectReset(client, 'cursor_unknown', acme.id)
      const id = await writeEvent(service, acme.id)
      expect((await client.received(2)).slice(1)).toEqual([id])
      const again = await follow(acme, { lastEventId: client.messages[0]?.id ?? '' })
      expect(await again.received(1)).toEqual([id])
    },
  )

  test('because it belongs to another organization, realm or epoch is reset', async () => {
    await untilSettled(service)
    const { epoch, position } = await end(acme)
    const anotherEpoch = '11111111-1111-4111-8111-111111111111'
    for (const cursor of [
      cursorAt(epoch, scopeOf(other), position),
      cursorAt(epoch, adminScope, position),
      cursorAt(anotherEpoch, scopeOf(acme), position),
    ]) {
      await expectReset(await follow(acme, { cursor }), 'cursor_unknown', acme.id)
    }
    const own = cursorAt(epoch, scopeOf(acme), position)
    await expectReset(await followAll({ cursor: own }), 'cursor_unknown', null)
    expect((await follow(acme, { cursor: own })).messages).toEqual([])
  })

  test('because it lies in the future, as after restoring a backup, is reset', async () => {
    const { epoch, position } = await end(acme)
    const transactionId = position.transactionId + 1_000_000n
    await untilSettled(service)
    const cursor = cursorAt(epoch, scopeOf(acme), { ...position, transactionId })
    await expectReset(await follow(acme, { cursor }), 'cursor_unknown', acme.id)
  })

  test('because later events were dropped is reset; the last kept one resumes', async () => {
    const client = await follow(acme)
    const old = { occurredAt: '2020-01-01T00:00:00.000Z' }
    for (let n = 0; n < 3; n += 1) await writeEvent(service, acme.id, old)
    await client.received(3)
    const kept = await writeEvent(service, acme.id)
    await service.database.asOwner('select prune_expired(1000)')
    const [first, , last] = client.messages
    await untilSettled(service)
    const expired = await follow(acme, { cursor: first?.id ?? '' })
    await expectReset(expired, 'cursor_expired', acme.id)
    const onwards = await follow(acme, { cursor: last?.id ?? '' })
    expect(await onwards.received(1)).toEqual([kept])
  })
})
