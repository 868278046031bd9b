import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import sql from 'sql-template-tag'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { type Db, openDatabase, type Tx } from '#platform/database/database.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'

let database: TestDatabase
let db: Db

/** One connection, so that anything left on it would affect the next user. */
beforeAll(async () => {
  database = await createTestDatabase()
  db = openDatabase({ url: database.url, poolSize: 1 })
  await database.asOwner('create table notes (n bigint unique)')
  await database.asOwner('grant select, insert on notes to countersign_app')
})
afterAll(async () => {
  await db.close()
  await database.drop()
})
afterEach(() => {
  vi.restoreAllMocks()
})

/** The clients that sent something. Other files' applications may still run in this process. */
const messages = () => {
  const { pathname } = new URL(database.url)
  const sent = vi.spyOn(pg.Client.prototype, 'query')
  const clients = sent.mock.contexts as pg.Client[]
  return () => clients.filter((client) => `/${client.database}` === pathname)
}
const add = (n: bigint | number) => sql`insert into notes (n) values (${n})`
const count = async () =>
  Number((await database.asOwner<{ count: string }>('select count(*) from notes'))[0]?.count)
const scopeNow = sql`select coalesce(current_setting('app.organization', true), '') as scope`
const organizationId = '0190a000-0000-7000-8000-000000000001'
const double = (n: number) => sql`select ${n}::integer * 2 as doubled`

test('concurrent queries share one message, and each gets its own answer', async () => {
  const sent = messages()
  const answers = await db.read({ organizationId }, (reader) =>
    Promise.all([reader.query(double(1)), reader.query(scopeNow), reader.query(double(2))]),
  )
  expect(answers).toEqual([[{ doubled: 2 }], [{ scope: organizationId }], [{ doubled: 4 }]])
  expect(sent()).toHaveLength(1)
})

test('BEGIN travels with the first query, pending writes with COMMIT', async () => {
  const before = await count()
  const sent = messages()
  await db.transaction({ organizationId }, async (tx) => {
    expect(await tx.query(scopeNow)).toEqual([{ scope: organizationId }])
    tx.write(add(1))
    tx.write(add(2))
  })
  expect(sent()).toHaveLength(2)
  expect(await count()).toBe(before + 2)
})

test('a write that nobody awaits is executed before the next query', async () => {
  await db.transaction({}, async (tx) => {
    tx.write(add(10))
    expect(await tx.query(sql`select n from notes where n = 10`)).toEqual([{ n: 10 }])
  })
})

test('a transaction without queries sends nothing', async () => {
  const sent = messages()
  expect(await db.transaction({ organizationId }, async () => 'done')).toBe('done')
  expect(sent()).toEqual([])
})

test('the scope ends with the transaction, and with every message of a read', async () => {
  await db.transaction({ organizationId }, (tx) => tx.query(scopeNow))
  expect(await db.query(scopeNow)).toEqual([{ scope: '' }])
  await db.read({ organizationId }, async (reader) => {
    await reader.query(scopeNow)
    expect(await reader.query(scopeNow)).toEqual([{ scope: organizationId }])
  })
  expect(await db.query(scopeNow)).toEqual([{ scope: '' }])
})

test('a read cannot write', async () => {
  const before = await count()
  const written = db.read({ organizationId }, (reader) => reader.query(add(20)))
  await expect(written).rejects.toMatchObject({ cause: { code: '25006' } })
  expect(await count()).toBe(before)
})

test.each<[string, (tx: Tx) => Promise<unknown> | undefined]>([
  ['a query', (tx) => tx.query(add(30))],
  [
    'an unawaited write',
    (tx) => {
      tx.write(add(30))
      return undefined
    },
  ],
])('when %s fails, the transaction is rolled back', async (_what, again) => {
  const before = await count()
  const failed = db.transaction({}, async (tx) => {
    tx.write(add(30))
    await again(tx)
  })
  await expect(failed).rejects.toMatchObject({ code: '23505', constraint: 'notes_n_key' })
  expect(await count()).toBe(before)
})

test('when the work fails with queries in flight, they end before the rollback', async () => {
  const before = await count()
  const failed = db.transaction({}, async (tx) => {
    await Promise.all([tx.query(add(40)), Promise.reject(new Error('changed its mind'))])
  })
  await expect(failed).rejects.toThrow('changed its mind')
  expect(await count()).toBe(before)
  expect(await db.query(double(3))).toEqual([{ doubled: 6 }])
})

test('a server that falls silent is not asked to roll back', async () => {
  const sent = messages()
  // Connected before: the time-out of connecting must not be one of the fake timers.
  await db.query(double(1))
  const [client] = sent() as unknown as [{ connection: { sync(): void } }]
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  vi.spyOn(client.connection, 'sync').mockReturnValue()
  const refused = expect(db.transaction({}, (tx) => tx.query(double(1)))).rejects.toMatchObject({
    code: 'dependency_unavailable',
  })
  await vi.waitFor(() => expect(sent()).toHaveLength(2))
  await vi.advanceTimersByTimeAsync(10_000)
  vi.useRealTimers()
  await refused
  expect(sent()).toHaveLength(2)
})

test('a query after the end is refused', async () => {
  const kept: { tx?: Tx } = {}
  await db.transaction({}, async (tx) => {
    kept.tx = tx
    await tx.query(double(1))
  })
  await expect(kept.tx?.query(double(1))).rejects.toThrow('The transaction has ended')
  expect(() => kept.tx?.write(add(50))).toThrow('The transaction has ended')
})

test('a query made while another is in flight goes with the next message', async () => {
  const sent = messages()
  await db.transaction({}, async (tx) => {
    const slow = tx.query(sql`select pg_sleep(0.05)`)
    await wait(10)
    const later = [tx.query(double(4)), tx.query(double(5))]
    expect(await Promise.all([slow, ...later])).toHaveLength(3)
  })
  expect(sent()).toHaveLength(3)
})

test('a statement that failed at its first use can be used again', async () => {
  const share = (n: number) => sql`select 100 / ${n}::integer as share`
  const ask = (n: number) =>
    db.transaction({}, (tx) => Promise.all([tx.query(double(n)), tx.query(share(n))]))
  await expect(ask(0)).rejects.toMatchObject({ code: '22012' })
  expect(await ask(4)).toEqual([[{ doubled: 8 }], [{ share: 25 }]])
  expect(await ask(5)).toEqual([[{ doubled: 10 }], [{ share: 20 }]])
})

test('an unreadable answer rejects its query and not the process', async () => {
  const large = 2n ** 60n
  await db.transaction({}, async (tx) => tx.write(add(large)))
  const asked = db.query(sql`select n from notes where n = ${large}`)
  await expect(asked).rejects.toThrow(RangeError)
  expect(await db.query(double(6))).toEqual([{ doubled: 12 }])
})

test('a value that cannot be encoded rejects its query and spares the connection', async () => {
  const circle: Record<string, unknown> = {}
  circle.circle = circle
  await expect(db.query(sql`select ${circle}::text`)).rejects.toThrow('circular')
  expect(await db.query(double(7))).toEqual([{ doubled: 14 }])
})

const taken = (error: unknown) => {
  throw new Error((error as { code?: string }).code === '23505' ? 'taken' : 'something else')
}

test('a failure rejects its own query with the cause and batched ones with NotRun', async () => {
  await db.transaction({}, (tx) => tx.query(add(70)))
  const heard: string[] = []
  const failed = db.transaction({}, async (tx) => {
    const before = tx.query(double(1)).catch((error: Error) => heard.push(error.name))
    const culprit = tx.query(add(70)).catch(taken)
    const after = tx.query(double(2)).catch((error: Error) => {
      heard.push(error.name)
      throw error
    })
    await Promise.all([before, culprit, after])
  })
  await expect(failed).rejects.toThrow('taken')
  await expect.poll(() => heard).toEqual(['NotRun', 'NotRun'])
})

test('an unhandled NotRun passes on the original failure', async () => {
  await expect(
    db.transaction({}, async (tx) => {
      tx.write(add(70))
      await tx.query(double(1))
    }),
  ).rejects.toMatchObject({ code: '23505', constraint: 'notes_n_key' })
})

test.each<[string, (tx: Tx) => Promise<unknown>]>([
  ['swallowed', (tx) => tx.query(add(70)).catch(() => {})],
  ['not awaited', async (tx) => void tx.query(add(70)).catch(() => {})],
])('a failure that was %s still fails the transaction', async (_how, careless) => {
  const before = await count()
  const failed = db.transaction({}, async (tx) => {
    await tx.query(add(80))
    await careless(tx)
    return 'done'
  })
  await expect(failed).rejects.toThrow(/rolled back|duplicate key/)
  expect(await count()).toBe(before)
})

test('a long queue is sent in several messages, each of which can fail', async () => {
  const range = (from: number, length: number) =>
    Array.from({ length }, (_one, index) => from + index)
  const writeAll = (numbers: readonly number[]) =>
    db.transaction({}, (tx) => {
      for (const n of numbers) tx.write(add(n))
    })
  await writeAll(range(1_000, 250))
  expect(await db.query(sql`select n from notes where n between 1000 and 3999`)).toHaveLength(250)
  for (const taken of [1_000, 1_249]) {
    const others = range(2_000, 149)
    await expect(writeAll([...others, taken, ...range(3_000, 100)])).rejects.toMatchObject({
      code: '23505',
    })
  }
  // The query is told, whether its own message failed or a later one.
  for (const place of [0, 149]) {
    const waiting = db.transaction({}, async (tx) => {
      const numbers = range(2_000, 149).toSpliced(place, 0, 1_000)
      for (const n of numbers.slice(0, 1)) tx.write(add(n))
      const asked = tx.query(double(1))
      for (const n of numbers.slice(1)) tx.write(add(n))
      await asked
    })
    await expect(waiting).rejects.toMatchObject({ code: '23505' })
  }
  expect(await db.query(sql`select n from notes where n between 1000 and 3999`)).toHaveLength(250)
})

test('each slow statement of one message has its own time-out', {
  timeout: 30_000,
}, async () => {
  const slow = sql`select pg_sleep(5.5)`
  await db.transaction({}, async (tx) => {
    tx.write(add(90))
    tx.write(slow)
    tx.write(slow)
  })
  expect(await db.query(sql`select n from notes where n = 90`)).toHaveLength(1)
})
