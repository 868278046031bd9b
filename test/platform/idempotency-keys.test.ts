/** An idempotency key belongs to one account and one operation. */
import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { findIsRepeated } from '#platform/idempotency.ts'
import type { TestApp } from '#test/support/app.ts'
import { sharedTestApp } from '#test/support/shared-app.ts'

let service: TestApp
let accountId: string
const key = randomUUID()

beforeAll(async () => {
  service = await sharedTestApp()
  accountId = (await service.signIn()).accountId
  await service.database.asOwner(
    `insert into idempotency_keys
       (account_id, operation, key, fingerprint, created_at, expires_at)
     values ($1, 'createExpense', $2, '\\x00', now(), now() + interval '1 hour')`,
    [accountId, key],
  )
})

const isRepeated = (change: { accountId?: string; operation?: string; key?: string }) => {
  const request = { accountId, operation: 'createExpense', key, ...change }
  const scope = { accountId: request.accountId }
  return service.api.db.transaction(scope, (tx) => findIsRepeated(tx, { ...request, body: {} }))
}

test('the same key of the same operation is repeated', async () => {
  expect(await isRepeated({})).toBe(true)
})

test('the same key of another operation or account, or another key, is not', async () => {
  expect(await isRepeated({ operation: 'createRecipient' })).toBe(false)
  expect(await isRepeated({ accountId: (await service.signIn()).accountId })).toBe(false)
  expect(await isRepeated({ key: randomUUID() })).toBe(false)
})
