/** Limits that all processes share, in PostgreSQL. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Sql } from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addSeconds, systemClock } from '#platform/clock.ts'
import { type Db, openDatabase } from '#platform/database/database.ts'
import { createRateCounter, deleteEndedLeases } from '#platform/rate-leases.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'

let database: TestDatabase
let db: Db

beforeAll(async () => {
  database = await createTestDatabase()
  db = openDatabase({ url: database.url, poolSize: 4, as: 'application' })
})
afterAll(async () => {
  await db.close()
  await database.drop()
})

/** Counts the statements as well. */
function openCounter(name: string, max: number) {
  let statements = 0
  let ahead = 0
  let isAway = false
  const counting = {
    query: <Row extends object>(statement: Sql): Promise<Row[]> => {
      statements += 1
      return isAway ? Promise.reject(new Error('away')) : db.query<Row>(statement)
    },
  }
  const clock = { now: () => addSeconds(systemClock.now(), ahead) }
  const counter = createRateCounter({ db: counting, clock }, { name, max, windowMs: 60_000 })
  return {
    allowed: async (requests: number, key = 'somebody') => {
      let allowed = 0
      for (let n = 0; n < requests; n += 1) if ((await counter.count(key)) === 0) allowed += 1
      return allowed
    },
    count: (key = 'somebody') => counter.count(key),
    statements: () => statements,
    setAway: (away: boolean) => {
      isAway = away
    },
    elapse: (seconds: number) => {
      ahead += seconds
    },
  }
}

const endWindows = () =>
  database.asOwner(`update rate_leases set ends_at = now() - interval '2 minutes'`)

test('two processes together stay within one limit and use it up', async () => {
  const run = () =>
    promisify(execFile)(process.execPath, [
      ...['--import', './require-node.mjs'],
      join(import.meta.dirname, 'fixtures', 'count-requests.ts'),
      ...[database.url, '400', '500'],
    ])
  const outputs = await Promise.all([run(), run()])
  const allowed = outputs.map(({ stdout }) => Number(stdout))
  expect(allowed.reduce((sum, count) => sum + count)).toBe(400)
})

describe('a limit', () => {
  test.each([1, 2, 7, 10, 60, 600])('of %i allows exactly that many', async (max) => {
    const counter = openCounter(`exact ${max}`, max)
    expect(await counter.allowed(max + 5)).toBe(max)
    const waitMs = await counter.count()
    expect(waitMs).toBeGreaterThan(0)
    expect(waitMs).toBeLessThanOrEqual(60_000)
  })

  test('of 600 costs one statement in ten requests, and few requests cost one', async () => {
    const [few, many] = [openCounter('few', 600), openCounter('many', 600)]
    await few.allowed(20)
    expect(few.statements()).toBe(1)
    await many.allowed(600)
    expect(many.statements()).toBeLessThan(60)
    const before = many.statements()
    await many.allowed(100)
    expect(many.statements()).toBeLessThanOrEqual(before + 1)
  })

  test('holds for requests at the same time, which share a lease', async () => {
    const counter = openCounter('at once', 100)
    const waits = await Promise.all(Array.from({ length: 150 }, () => counter.count()))
    expect(waits.filter((wait) => wait === 0)).toHaveLength(100)
    expect(counter.statements()).toBeLessThan(40)
  })

  test('keeps keys and names apart', async () => {
    const [one, other] = [openCounter('one', 2), openCounter('other', 2)]
    expect(await one.allowed(3)).toBe(2)
    expect(await one.allowed(3, 'somebody else')).toBe(2)
    expect(await other.allowed(3)).toBe(2)
  })

  test('starts anew after its window', async () => {
    const counter = openCounter('anew', 3)
    expect(await counter.allowed(4)).toBe(3)
    counter.elapse(61)
    await endWindows()
    expect(await counter.allowed(4)).toBe(3)
  })

  test('is that of the process alone while the database is away', async () => {
    const counter = openCounter('away', 5)
    counter.setAway(true)
    expect(await counter.allowed(7)).toBe(5)
    counter.setAway(false)
    counter.elapse(61)
    expect(await counter.allowed(7)).toBe(5)
  })
})

test('rows of ended windows are deleted', async () => {
  await openCounter('old', 3).allowed(1)
  await endWindows()
  await openCounter('new', 3).allowed(1)
  expect(await deleteEndedLeases(db)).toBeGreaterThan(0)
  const rows = await database.asOwner('select 1 from rate_leases')
  expect(rows).toHaveLength(1)
})
