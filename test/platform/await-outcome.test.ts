/** API processes wait for workers by notification, with a deadline and without storing anything. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type Db, openDatabase } from '#platform/database/database.ts'
import { announceOutcome, createOutcomes, type Outcomes } from '#platform/jobs/await-outcome.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'

const open = (message: string) => message

let database: TestDatabase
let db: Db
let outcomes: Outcomes

beforeAll(async () => {
  database = await createTestDatabase()
  db = openDatabase({ url: database.url, poolSize: 2 })
  outcomes = createOutcomes({ url: database.url })
})
afterAll(async () => {
  await outcomes.close()
  await db.close()
  await database.drop()
})

test('receives a message sent after it started to listen', async () => {
  const id = randomUUID()
  const begin = () => announceOutcome(db, id, 'two words')
  expect(await outcomes.receive(id, { begin, open })).toBe('two words')
})

test('receives only messages for its own id', async () => {
  const id = randomUUID()
  const begin = async () => {
    await announceOutcome(db, randomUUID(), 'for another')
    await announceOutcome(db, id, 'for us')
  }
  expect(await outcomes.receive(id, { begin, open })).toBe('for us')
})

test('ignores messages that are not the answer', async () => {
  const id = randomUUID()
  const begin = async () => {
    await announceOutcome(db, id, 'garbage')
    await announceOutcome(db, id, 'sealed')
  }
  const opened = (message: string) => (message === 'sealed' ? { message } : undefined)
  expect(await outcomes.receive(id, { begin, open: opened })).toEqual({ message: 'sealed' })
})

test('returns undefined at the deadline when nobody answers', async () => {
  const begin = async () => {}
  const received = await outcomes.receive(randomUUID(), { begin, open, withinMs: 50 })
  expect(received).toBeUndefined()
})

test('rejects with the error of the request that could not be sent', async () => {
  const begin = async () => {
    throw new Error('refused')
  }
  await expect(outcomes.receive(randomUUID(), { begin, open })).rejects.toThrow('refused')
})

test('does not begin when it cannot listen on the database', async () => {
  const away = createOutcomes({ url: 'postgres://127.0.0.1:1/none' })
  const begin = vi.fn(async () => {})
  expect(await away.receive(randomUUID(), { begin, open, withinMs: 50 })).toBeUndefined()
  expect(begin).not.toHaveBeenCalled()
  await away.close()
})

test('polls immediately whenever the outcome is announced', async () => {
  const id = randomUUID()
  await outcomes.receive(id, { begin: () => announceOutcome(db, id), open })
  let reads = 0
  const read = async () => {
    reads += 1
    void announceOutcome(db, id)
    return reads === 20 ? 'found' : undefined
  }
  // Twenty polls at the pauses alone would take hours.
  expect(await outcomes.waitFor(id, read, { withinMs: 30_000 })).toBe('found')
})

test('finds an outcome that was not announced', async () => {
  let reads = 0
  const read = async () => {
    reads += 1
    return reads === 3 ? 'found' : undefined
  }
  expect(await outcomes.waitFor(randomUUID(), read)).toBe('found')
})

test("refuses a message that exceeds PostgreSQL's limit", async () => {
  await expect(announceOutcome(db, randomUUID(), 'x'.repeat(8_000))).rejects.toThrow(RangeError)
})
