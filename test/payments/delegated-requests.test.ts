/** What the database keeps about requests to a provider that sends payments itself. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { DelegatedAttempt } from '#payments/engine/attempt.ts'
import type { FencingToken, Sending } from '#payments/engine/lane.ts'
import { createLaneStore } from '#payments/lane-store/lane-store.ts'
import { AppError } from '#platform/errors.ts'
import { startTestApp, type TestApp } from '#test/support/app.ts'
import { expenseIn } from '#test/support/expense-states.ts'
import { openSigningHouse, signAs } from '#test/support/signing.ts'
import { liftOwnersRowSecurity } from '#test/support/steps.ts'

let service: TestApp
let store: ReturnType<typeof createLaneStore>
let organizationId: string
let token: FencingToken
let sending: Sending<DelegatedAttempt>

beforeAll(async () => {
  service = await startTestApp()
  const { asOwner } = service.database
  await liftOwnersRowSecurity(service.database)
  const house = await openSigningHouse(service)
  const expense = await expenseIn(service, house, 'awaiting_approval')
  expect((await signAs(service, house, expense, house.signer)).status).toBe(202)
  const [binding] = await asOwner<{ id: string }>('select id from executor_bindings')
  const laneId = binding?.id ?? ''
  await asOwner(`update payments set state = 'queued', lane_id = $1, released_at = now()`, [laneId])
  organizationId = house.organization.id
  store = createLaneStore(service.ctx, organizationId)
  const claimed = await store.claimLane({ laneId, leaseMs: 60_000 })
  if (claimed.outcome !== 'claimed') throw new Error('The lane is busy')
  token = claimed.token
  const written = await store.writeDelegated({ token, payments: (await load()).queued })
  const [payment] = (await load()).unsettled
  if (written === 'stale' || !written[0] || !payment) throw new Error('Nothing was written')
  sending = { payment, attempt: written[0].attempt }
})
afterAll(() => service.stop())

async function load() {
  const lane = await store.loadLane({ token, queuedMax: 4 })
  if (lane === 'stale') throw new Error('The lane has another writer')
  return lane
}

const attempt = async () => {
  const [row] = await service.database.asOwner<{ state: string; sentAt: Date | null }>(
    'select state, sent_at as "sentAt" from payment_attempts',
  )
  return row
}

test('before its first request an attempt is written, but not sent', async () => {
  expect(await attempt()).toEqual({ state: 'written', sentAt: null })
})

test('a request that is about to be repeated counts as sent from that moment', async () => {
  expect(await store.recordRetries({ token, retries: [sending] })).toBe('done')
  expect(await attempt()).toEqual({ state: 'sent', sentAt: expect.any(Date) })
})

/** A store whose transactions all fail, and how many it has tried. */
function failingWith(error: Error) {
  let tries = 0
  const transaction = async (): Promise<never> => {
    tries += 1
    throw error
  }
  const db = { ...service.ctx.db, transaction }
  const failing = createLaneStore({ ...service.ctx, db }, organizationId)
  const writing = failing.recordRetries({ token, retries: [sending] })
  return { writing, tries: () => tries }
}

test('a write that fails is repeated for each payment, then left to the next pass', async () => {
  const { writing, tries } = failingWith(new Error('a row does not fit'))
  expect([await writing, tries()]).toEqual(['done', 2])
})

test('a write that meets an outage of the database is not repeated', async () => {
  const { writing, tries } = failingWith(new AppError('dependency_unavailable'))
  await expect(writing).rejects.toThrow(AppError)
  expect(tries()).toBe(1)
})
