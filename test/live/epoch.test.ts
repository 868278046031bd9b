/** Live event order is valid within one history of one cluster; another one starts a new epoch. */
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { findLiveState, refreshEpoch } from '#live/streams.store.ts'
import {
  createOrganization,
  type Organization,
  startTestApp,
  type TestApp,
} from '#test/support/app.ts'
import { type LiveClient, openLive, writeEvent } from '#test/support/live.ts'

let service: TestApp
let acme: Organization

beforeAll(async () => {
  service = await startTestApp({ streams: { lifetimeMs: 600_000 } })
  acme = await createOrganization(service)
})
afterAll(() => service.stop())
beforeEach(async () => {
  await settle()
  await service.database.asOwner('delete from live_events')
})

const settle = () => refreshEpoch(service.ctx.db)
const epochNow = async () => (await findLiveState(service.ctx.db)).epoch
const countEvents = async () => {
  const [row] = await service.database.asOwner<{ n: number }>(
    'select count(*)::int as n from live_events',
  )
  return row?.n
}
const restoreElsewhere = () =>
  service.database.asOwner(`update live_state set history = '123/00000001'`)
/** Simulates a dump from a cluster with more transactions than this one. */
const putIntoTheFuture = () =>
  service.database.asOwner(`update live_events set transaction_id =
    (pg_current_xact_id()::text::numeric + 1000000)::text::xid8`)
/**
 * Reconnects until the stream has begun as expected. A process that does not know the new epoch yet
 * opens a stream, and ends it as soon as it does.
 */
async function connect(
  hasBegun: (client: LiveClient) => boolean,
  lastEventId?: string,
): Promise<LiveClient> {
  const resuming = lastEventId === undefined ? {} : { lastEventId }
  const options = { token: acme.owner.token, ...resuming }
  for (;;) {
    const client = await openLive(service, `${acme.path}/live/stream`, options)
    await expect.poll(() => client.isEnded || hasBegun(client)).toBe(true)
    if (!client.isEnded) return client
  }
}

const follow = () => connect(({ text }) => /^id: [^\n]+\n\n/m.test(text))
const comeBack = (lastEventId: string) =>
  connect(({ messages }) => messages.some(({ event }) => event === 'stream.reset'), lastEventId)

describe('the epoch', () => {
  test('stays the same within one history, however often it is settled', async () => {
    await writeEvent(service, acme.id)
    const before = await epochNow()
    expect(await settle()).toBe(false)
    expect(await settle()).toBe(false)
    expect(await epochNow()).toBe(before)
    expect(await countEvents()).toBe(1)
  })

  test('changes in another cluster or after a rewind, and events are kept', async () => {
    await writeEvent(service, acme.id)
    const before = await epochNow()
    await restoreElsewhere()
    expect(await settle()).toBe(true)
    expect(await epochNow()).not.toBe(before)
    expect(await countEvents()).toBe(1)
    expect(await settle()).toBe(false)
  })

  test('changes when there are events from the future, which are dropped', async () => {
    await writeEvent(service, acme.id)
    await putIntoTheFuture()
    const before = await epochNow()
    expect(await settle()).toBe(true)
    expect(await epochNow()).not.toBe(before)
    expect(await countEvents()).toBe(0)
    await writeEvent(service, acme.id)
    expect(await settle()).toBe(false)
    expect(await countEvents()).toBe(1)
  })

  test('changes when the horizon lies in the future, which is reset', async () => {
    await service.database.asOwner(`update live_state set horizon_transaction_id = '99999999999'`)
    expect(await settle()).toBe(true)
    const client = await follow()
    const id = await writeEvent(service, acme.id)
    expect(await client.received(1)).toEqual([id])
  })

  test('is settled once by many concurrent processes', async () => {
    await writeEvent(service, acme.id)
    await putIntoTheFuture()
    const outcomes = await Promise.all(Array.from({ length: 8 }, settle))
    expect(outcomes.filter(Boolean)).toHaveLength(1)
  })

  /** Commits `held` only when the settling processes wait for it, and runs `next` afterwards. */
  async function settledAmid(held: string, next: string, settlers: number): Promise<boolean[]> {
    await writeEvent(service, acme.id)
    await putIntoTheFuture()
    const other = new pg.Client(service.database.url)
    await other.connect()
    try {
      await other.query(`begin; set search_path = countersign; ${held}`)
      const settling = Promise.all(Array.from({ length: settlers }, settle))
      settling.catch(() => {})
      await expect.poll(waiting).toBe(settlers)
      await other.query(`${next}; commit`)
      return await settling
    } finally {
      await other.end()
    }
  }

  const waiting = async () =>
    (
      await service.database.asOwner(
        `select from pg_stat_activity where datname = current_database()
           and wait_event_type = 'Lock' and query ~ 'settle_live_epoch'`,
      )
    ).length

  const ROW = 'select from live_state for update'

  test('is settled once by processes that all read before one may write', async () => {
    const outcomes = await settledAmid(ROW, 'select', 3)
    expect(outcomes.filter(Boolean)).toHaveLength(1)
  })

  test('is settled while another process drops old events and moves the horizon', async () => {
    expect(await settledAmid('delete from live_events', ROW, 1)).toEqual([true])
    expect(await countEvents()).toBe(0)
  })

  test('cannot be changed by the application in any other way', async () => {
    const { db } = service.ctx
    const { default: sql } = await import('sql-template-tag')
    for (const statement of [
      sql`update live_state set epoch = gen_random_uuid()`,
      sql`delete from live_events`,
      sql`truncate live_events`,
    ]) {
      await expect(db.query(statement)).rejects.toMatchObject({ code: '42501' })
    }
  })
})

test('a new epoch ends open streams, which resume after a reset', async () => {
  const client = await follow()
  await writeEvent(service, acme.id)
  await client.received(1)
  await putIntoTheFuture()
  await settle()
  await client.ended()
  expect(client.comments.at(-1)).toBe('end: restored')
  const again = await comeBack(client.lastId)
  const id = await writeEvent(service, acme.id)
  await again.received(2)
  expect(again.messages.map(({ event }) => event)).toEqual(['stream.reset', 'integration.changed'])
  expect(again.messages[1]?.data.id).toBe(id)
})
