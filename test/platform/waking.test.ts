/** Readers of live events are woken after the commit, and the commit holds no lock for it. */
import pg from 'pg'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { type Db, openDatabase, type Tx } from '#platform/database.ts'
import { createWaking } from '#platform/waking.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { times } from '#test/support/steps.ts'

let database: TestDatabase
let db: Db
let listener: pg.Client
let notices = 0

beforeAll(async () => {
  database = await createTestDatabase()
  db = openDatabase({ url: database.url, poolSize: 4 })
  listener = new pg.Client(database.url)
  await listener.connect()
  listener.on('notification', () => {
    notices += 1
  })
  await listener.query('listen countersign_live')
})
afterAll(async () => {
  await listener.end()
  await db.close()
  await database.drop()
})
beforeEach(() => {
  notices = 0
})

const INSERT = sql`
  insert into countersign.live_events (id, audience, kind, aggregate_type, aggregate_id, severity,
    occurred_at)
  values (gen_random_uuid(), 'admin', 'service.changed', 'service', 'api', 'healthy', now())`

const happen = (tx: Tx): void => {
  tx.write(INSERT)
  tx.announce()
}

/** Whatever was told up to now has been heard: a server hands notices on with the next answer. */
const heard = async (): Promise<number> => {
  await listener.query('select 1')
  return notices
}

const notified = () => vi.waitFor(async () => expect(await heard()).toBeGreaterThan(0))

const eventCount = async (): Promise<number> => {
  const { rows } = await listener.query('select count(*)::integer from countersign.live_events')
  return rows[0].count
}

test('whoever waits is told once it can be seen', async () => {
  await database.asOwner('alter table live_events no force row level security')
  const before = await eventCount()
  const seen: Promise<number>[] = []
  const look = () => void seen.push(eventCount())
  listener.on('notification', look)
  await db.transaction({}, async (tx) => happen(tx))
  await notified()
  listener.off('notification', look)
  expect(await Promise.all(seen)).toEqual([before + 1])
})

test('nobody is told of what was rolled back', async () => {
  const failing = db.transaction({}, async (tx) => {
    happen(tx)
    await tx.query(sql`select 1`)
    throw new Error('not so')
  })
  await expect(failing).rejects.toThrow('not so')
  await db.query(sql`select 1`)
  expect(await heard()).toBe(0)
})

test('a transaction that announces does not notify by itself', async () => {
  await db.transaction({}, async (tx) => {
    tx.write(INSERT)
  })
  expect(await heard()).toBe(0)
})

test('a connection of the version before is spoken for by the trigger', async () => {
  const older = new pg.Client({
    connectionString: database.url,
    options: '-c search_path=countersign',
  })
  await older.connect()
  await older.query('set role countersign_app')
  await older.query(INSERT.text)
  await older.end()
  expect(await heard()).toBe(1)
})

test('many that commit at once are told of together, the last one as well', async () => {
  const before = await eventCount()
  let known = before
  const look = async () => {
    known = Math.max(known, await eventCount())
  }
  listener.on('notification', look)
  await Promise.all(times(40, () => db.transaction({}, async (tx) => happen(tx))))
  await vi.waitFor(() => expect(known).toBe(before + 40))
  listener.off('notification', look)
  expect(notices).toBeLessThanOrEqual(40)
})

test('what comes while it is telling is told with the next, however much it is', async () => {
  const waiting: (() => void)[] = []
  const { wake, settled } = createWaking(
    () => new Promise<void>((resolve) => waiting.push(resolve)),
  )
  wake()
  for (const _ of times(10, (n) => n)) wake()
  expect(waiting).toHaveLength(1)
  waiting[0]?.()
  await vi.waitFor(() => expect(waiting).toHaveLength(2))
  waiting[1]?.()
  await settled()
  expect(waiting).toHaveLength(2)
})

test('a database that is away is nobody’s trouble: readers look by themselves', async () => {
  let tries = 0
  const { wake, settled } = createWaking(async () => {
    tries += 1
    throw new Error('away')
  })
  wake()
  await settled()
  wake()
  await settled()
  expect(tries).toBe(2)
})

test('a process that ends has told before', async () => {
  const short = openDatabase({ url: database.url, poolSize: 1 })
  await short.transaction({}, async (tx) => happen(tx))
  await short.close()
  expect(await heard()).toBe(1)
})
