/** One test for each promise of docs/PIPELINE.md that test/platform/transaction.test.ts leaves. */
import type { EventEmitter } from 'node:events'
import pg from 'pg'
import sql, { type Sql } from 'sql-template-tag'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { runTogether, statementOf } from '#platform/database/pipeline.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'

let database: TestDatabase
let client: pg.Client

/** What pg keeps to itself and the pipeline writes to. */
type Wire = Record<'parse' | 'describe' | 'sync', (...args: unknown[]) => void>
const wireOf = (of: pg.Client) => (of as unknown as { connection: Wire }).connection

const options = '-c search_path=countersign'

beforeAll(async () => {
  database = await createTestDatabase()
  await database.asOwner('create table notes (n integer unique)')
})
beforeEach(async () => {
  await database.asOwner('truncate notes')
  client = new pg.Client({ connectionString: database.url, options })
  await client.connect()
})
afterEach(async () => {
  vi.restoreAllMocks()
  await client.end()
})
afterAll(() => database.drop())

const run = (...statements: Sql[]) =>
  runTogether(client, statements.map(statementOf), (oid) => pg.types.getTypeParser(oid, 'text'))
const add = (n: number) => sql`insert into notes (n) values (${n})`
const one = (n: number) => sql`select ${n}::integer as one`
const notes = async () =>
  (await database.asOwner<{ n: number }>('select n from notes order by n')).map(({ n }) => n)

describe('a message', () => {
  test('has one Sync and returns the rows of each statement in order', async () => {
    const sync = vi.spyOn(wireOf(client), 'sync')
    const outcome = await run(one(1), add(1), one(2))
    expect(outcome).toEqual({ results: [[{ one: 1 }], [], [{ one: 2 }]] })
    expect(sync).toHaveBeenCalledTimes(1)
  })

  test('runs nothing behind a failed statement and rolls back what ran before it', async () => {
    const outcome = await run(add(1), sql`select 1 / 0`, add(2))
    expect(outcome).toMatchObject({ failure: { at: 1, error: { code: '22012' } } })
    expect(await notes()).toEqual([])
  })

  test('shares a transaction-local setting, which ends with the message', async () => {
    const name = sql`select current_setting('app.organization', true) as name`
    const set = sql`select set_config('app.organization', 'ours', true)`
    expect(await run(set, name)).toMatchObject({ results: [[{}], [{ name: 'ours' }]] })
    expect(await run(name)).toEqual({ results: [[{ name: '' }]] })
  })

  test('whose commit no standby has confirmed fails with an unknown outcome', async () => {
    const running = run(add(1))
    const warning = { message: 'canceling wait …', routine: 'SyncRepWaitForLSN' }
    ;(wireOf(client) as unknown as EventEmitter).emit('notice', warning)
    expect(await running).toMatchObject({ failure: { at: -1, error: { code: '08007' } } })
    expect(await notes()).toEqual([1])
  })

  test('is not disturbed by other notices', async () => {
    const dropped = sql`drop table if exists no_such_table`
    expect(await run(dropped, one(1))).toEqual({ results: [[], [{ one: 1 }]] })
  })

  test.each([
    [1, 10_000],
    [2, 18_000],
    [9, 26_000],
  ])('of %i statements fails when the server is silent for %i ms', async (length, limitMs) => {
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    vi.spyOn(wireOf(client), 'sync').mockImplementation(() => {})
    const settled = vi.fn()
    run(...Array.from({ length }, () => one(1))).then(settled)
    await vi.advanceTimersByTimeAsync(limitMs - 1)
    expect(settled).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1)
    vi.useRealTimers()
    await vi.waitFor(() => expect(settled).toHaveBeenCalled())
    const error = { message: 'Query read timeout' }
    expect(settled.mock.calls[0]?.[0]).toMatchObject({ failure: { at: -1, error } })
  })
})

describe('a statement', () => {
  test('is parsed and described once for each connection', async () => {
    const parse = vi.spyOn(wireOf(client), 'parse')
    const describe = vi.spyOn(wireOf(client), 'describe')
    await run(one(1))
    await run(one(2), one(3))
    expect(parse).toHaveBeenCalledTimes(1)
    expect(describe).toHaveBeenCalledTimes(1)
  })

  test('is parsed once when it stands twice in its first message', async () => {
    const parse = vi.spyOn(wireOf(client), 'parse')
    expect(await run(one(1), one(2))).toEqual({ results: [[{ one: 1 }], [{ one: 2 }]] })
    expect(parse).toHaveBeenCalledTimes(1)
  })

  test('that was behind a failure in its first message is parsed again', async () => {
    await run(sql`select 1 / 0`, one(1))
    expect(await run(one(1))).toEqual({ results: [[{ one: 1 }]] })
  })
})

/** Why pg's own pipeline mode does not do. When one of these fails, read docs/PIPELINE.md again. */
describe('the pipeline mode of pg', () => {
  let own: pg.Client
  beforeEach(async () => {
    const config = { connectionString: database.url, options, pipeline: true }
    own = new pg.Client(config)
    await own.connect()
  })
  afterEach(() => own.end())

  test('sends one Sync for each statement and runs those behind a failed one', async () => {
    const sync = vi.spyOn(wireOf(own), 'sync')
    const [first, second] = await Promise.allSettled([
      own.query('select 1 / $1::integer', [0]),
      own.query('insert into notes (n) values ($1)', [7]),
    ])
    expect([first.status, second.status]).toEqual(['rejected', 'fulfilled'])
    expect(await notes()).toEqual([7])
    expect(sync).toHaveBeenCalledTimes(2)
  })

  test('ends a transaction-local setting with its own statement', async () => {
    const [, { rows }] = await Promise.all([
      own.query("select set_config('app.organization', $1, true)", ['ours']),
      own.query("select current_setting('app.organization', true) as name"),
    ])
    expect(rows).toEqual([{ name: '' }])
  })

  test('refuses query objects other than its own', async () => {
    const foreign = vi.fn()
    const failed = vi.fn()
    own.query({ submit: foreign, handleError: failed } as unknown as pg.Submittable)
    await vi.waitFor(() => expect(failed).toHaveBeenCalled())
    expect(failed.mock.calls[0]?.[0].message).toContain('not supported in pipeline mode')
    expect(foreign).not.toHaveBeenCalled()
  })
})
