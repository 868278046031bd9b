/** What no two requests can bring about on purpose; the rest is in test/http/idempotency*.ts. */
import type { Sql } from 'sql-template-tag'
import { expect, test } from 'vitest'
import type { Tx } from '#platform/database/database.ts'
import { AppError } from './errors.ts'
import { once } from './idempotency.ts'

const request = { accountId: 'account', operation: 'POST /', key: 'key', body: { amount: '1' } }

/** The claim of the key answers first; the second query asks for the stored answer. */
const answering = (...answers: readonly (object[] | Error)[]): Tx => {
  const left = [...answers]
  return {
    query: async <Row>(_statement: Sql) => {
      const answer = left.shift() ?? []
      if (answer instanceof Error) throw answer
      return answer as Row[]
    },
    write: () => {},
    announce: () => {},
  }
}

const run = (tx: Tx) =>
  once(tx, request, { at: new Date(), work: async () => ({ isDone: true }) }).then(
    (answer) => answer,
    (error: unknown) => error,
  )

test('a key that was taken and is gone when its answer is read asks for another try', async () => {
  const error = await run(answering([], []))
  expect(error).toBeInstanceOf(AppError)
  expect(error).toMatchObject({ code: 'idempotency_in_progress', retryAfterSeconds: 1 })
})

test('an error of the database other than a lock that times out is passed on', async () => {
  const failure = new Error('the connection was lost')
  expect(await run(answering(failure))).toBe(failure)
})

test('a lock that times out asks for another try', async () => {
  const timeout = Object.assign(new Error('lock timeout'), { code: '55P03' })
  expect(await run(answering(timeout))).toMatchObject({
    ...{ code: 'idempotency_in_progress', retryAfterSeconds: 1 },
  })
})
