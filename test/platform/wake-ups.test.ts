/** Readers of live events are notified after the commit, which holds no lock for it. */
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import sql, { type Sql } from 'sql-template-tag'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { insertLiveEvents } from '#journal/journal.store.ts'
import { type Db, openDatabase, type Tx } from '#platform/database/database.ts'
import { createWakeUps } from '#platform/jobs/wake-ups.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { times } from '#test/support/steps.ts'

let database: TestDatabase
let listener: pg.Client
let notices = 0

beforeAll(async () => {
  database = await createTestDatabase()
  await database.asOwner('alter table live_events no force row level security')
  listener = new pg.Client(database.url)
  await listener.connect()
  listener.on('notification', () => {
    notices += 1
  })
  await listener.query('listen countersign_live')
})
afterAll(async () => {
  await listener.end()
  await database.drop()
})
beforeEach(() => {
  notices = 0
})

/** After this, its notifications are sent or never will be. */
async function using(work: (db: Db) => Promise<unknown>, poolSize = 4): Promise<void> {
  const db = openDatabase({ url: database.url, poolSize })
  try {
    await work(db)
  } finally {
    await db.close()
  }
}

const INSERT = sql`
  insert into countersign.live_events (id, audience, kind, aggregate_type, aggregate_id, severity,
    occurred_at)
  values (gen_random_uuid(), 'admin', 'service.changed', 'service', 'api', 'healthy', now())`

/** Writes as every command does. */
const happen = (tx: Tx): void =>
  insertLiveEvents(tx, [
    {
      id: randomUUID(),
      organizationId: null,
      audience: 'admin',
      kind: 'service.changed',
      aggregateType: 'service',
      aggregateId: 'api',
      targetState: null,
      severity: 'healthy',
      code: null,
      occurredAt: new Date().toISOString(),
    },
  ])

/** Flushes notifications: a server delivers them with the next answer. */
const heard = async (): Promise<number> => {
  await listener.query('select 1')
  return notices
}

const eventCount = async (): Promise<number> => {
  const { rows } = await listener.query('select count(*)::integer from countersign.live_events')
  return rows[0].count
}

/** Reads whenever it is notified; returns how many events it saw each time. */
async function looking(work: () => Promise<unknown>): Promise<number[]> {
  const seen: Promise<number>[] = []
  const look = () => void seen.push(eventCount())
  listener.on('notification', look)
  await work()
  await heard()
  listener.off('notification', look)
  return Promise.all(seen)
}

test('notifies a waiting reader once the event is visible', async () => {
  const before = await eventCount()
  const seen = await looking(() => using((db) => db.transaction({}, async (tx) => happen(tx))))
  expect(seen).toEqual([before + 1])
})

test('notifies nobody of a rolled-back event', async () => {
  await using(async (db) => {
    const failing = db.transaction({}, async (tx) => {
      happen(tx)
      await tx.query(sql`select 1`)
      throw new Error('not so')
    })
    await expect(failing).rejects.toThrow('not so')
  })
  expect(await heard()).toBe(0)
})

test('notifies nobody when the commit fails', async () => {
  await using(async (db) => {
    const failing = db.transaction({}, async (tx) => {
      happen(tx)
      tx.write(sql`insert into live_events (id) values (null)`)
    })
    await expect(failing).rejects.toThrow('null value')
  })
  expect(await heard()).toBe(0)
})

test('the trigger does not notify for a connection that notifies by itself', async () => {
  await using((db) =>
    db.transaction({}, async (tx) => {
      tx.write(INSERT)
    }),
  )
  expect(await heard()).toBe(0)
})

test('the trigger notifies for a connection of the previous version', async () => {
  const options = '-c search_path=countersign -c role=countersign_app'
  const older = new pg.Client({ connectionString: database.url, options })
  await older.connect()
  await older.query(INSERT.text)
  await older.end()
  expect(await heard()).toBe(1)
})

test('coalesces notifications of concurrent commits, including the last one', async () => {
  const before = await eventCount()
  const seen = await looking(() =>
    using((db) => Promise.all(times(40, () => db.transaction({}, async (tx) => happen(tx))))),
  )
  expect(seen.at(-1)).toBe(before + 40)
  expect(seen.length).toBeLessThan(40)
})

test('is not delayed by requests that wait for a connection', async () => {
  await using(async (db) => {
    await db.transaction({}, async (tx) => happen(tx))
    await db.transaction({}, async (tx) => {
      await tx.query(sql`select 1`)
      await vi.waitFor(async () => expect(await heard()).toBe(1))
    })
  }, 1)
})

const hanging = () => {
  const asked: (() => void)[] = []
  const query = (_: Sql) => new Promise<void>((resolve) => asked.push(resolve))
  return { asked, ...createWakeUps({ query }) }
}

test('sends whatever arrives during a notification with the next one', async () => {
  const { asked, wake, settled } = hanging()
  for (const _ of times(10, (n) => n)) wake()
  expect(asked).toHaveLength(1)
  asked[0]?.()
  await vi.waitFor(() => expect(asked).toHaveLength(2))
  asked[1]?.()
  await settled()
  expect(asked).toHaveLength(2)
})

test('reports an unavailable database once until it is reachable again', async () => {
  const answers = [true, false, false, true, false]
  const troubles: unknown[] = []
  const query = async () => {
    if (answers.shift() !== true) throw new Error('away')
  }
  const { wake, settled } = createWakeUps({ query, onFailure: (error) => troubles.push(error) })
  for (const _ of times(5, (n) => n)) {
    wake()
    await settled()
  }
  expect(troubles).toEqual([new Error('away'), new Error('away')])
})
