/** Cases that requests cannot produce reliably; the rest is in test/http/idempotency*.ts. */
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

test('a key that is deleted before its answer is read asks for a retry', async () => {
  const error = await run(answering([], []))
  expect(error).toBeInstanceOf(AppError)
  expect(error).toMatchObject({ code: 'idempotency_in_progress', retryAfterSeconds: 1 })
})

test('a database error other than a lock time-out is passed on', async () => {
  const failure = new Error('the connection was lost')
  expect(await run(answering(failure))).toBe(failure)
})

test('a lock time-out asks for a retry', async () => {
  const timeout = Object.assign(new Error('lock timeout'), { code: '55P03' })
  expect(await run(answering(timeout))).toMatchObject({
    ...{ code: 'idempotency_in_progress', retryAfterSeconds: 1 },
  })
})
