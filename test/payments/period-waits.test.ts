/** A queued payment whose spending period has no room: it waits for the next, or is blocked. */
import { timestampToSeconds } from '@countersign/proof/values.ts'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { FencingToken, Lane, LanePayment } from '#payments/engine/lane.ts'
import { createLaneStore } from '#payments/lane-store/lane-store.ts'
import { startTestApp, type TestApp } from '#test/support/app.ts'
import { expenseIn } from '#test/support/expense-states.ts'
import { openSigningHouse, signAs } from '#test/support/signing.ts'
import { liftOwnersRowSecurity } from '#test/support/steps.ts'

let service: TestApp
let house: Awaited<ReturnType<typeof openSigningHouse>>
let store: ReturnType<typeof createLaneStore>
let laneId: string
let token: FencingToken
let payment: LanePayment

const sign = () => Promise.reject(new Error('nothing is signed'))

async function load(): Promise<Lane> {
  const lane = await store.loadLane({ token, queuedMax: 4 })
  if (lane === 'stale') throw new Error('The lane is lost')
  return lane
}

const shown = async () => {
  const { token } = house.organization.owner
  const path = `${house.organization.path}/payments/${payment.id}`
  return (await service.call('GET', path, { token })).body.payment
}

beforeAll(async () => {
  service = await startTestApp()
  await liftOwnersRowSecurity(service.database)
  house = await openSigningHouse(service)
  const expense = await expenseIn(service, house, 'awaiting_approval')
  expect((await signAs(service, house, expense, house.signer)).status).toBe(202)
  const [binding] = await service.database.asOwner<{ id: string }>(
    'select id from executor_bindings',
  )
  laneId = binding?.id ?? ''
  store = createLaneStore(service.ctx, house.organization.id, sign)
})
afterAll(() => service.stop())

beforeEach(async () => {
  await service.database.asOwner(
    `update payments set state = 'queued', lane_id = $1, released_at = now(), block_code = null,
       postponed_until = null, period_ends_at = null`,
    [laneId],
  )
  await service.database.asOwner(`update executor_bindings set lease_until = null`)
  const claimed = await store.claimLane({ laneId, leaseMs: 60_000 })
  if (claimed.outcome !== 'claimed') throw new Error('The lane is busy')
  token = claimed.token
  const [first] = (await load()).queued
  if (!first) throw new Error('Nothing is queued')
  payment = first
})

test('it waits until the period ends, without holding its lane, and says so', async () => {
  const { deadline } = await shown()
  const endsAtSeconds = timestampToSeconds(deadline)
  expect(await store.awaitPeriod({ token, payment, endsAtSeconds })).toBe('done')
  expect(await shown()).toMatchObject({ state: 'queued', postponedUntil: deadline })
  const { queued, queuedDueInMs } = await load()
  expect(queued).toEqual([])
  expect(queuedDueInMs).toBeGreaterThan(0)
})

test('a period of a year is no reason to forget the lane for as long', async () => {
  await service.database.asOwner(`update payments set postponed_until = now() + interval '1 year'`)
  expect((await load()).queuedDueInMs).toBe(86_400_000)
})

test('it is due again when the period has ended', async () => {
  await store.awaitPeriod({ token, payment, endsAtSeconds: 1_700_000_000 })
  expect((await load()).queued).toHaveLength(1)
})

test('it is blocked if the period ends after its deadline', async () => {
  const { deadline } = await shown()
  const endsAtSeconds = timestampToSeconds(deadline) + 1
  expect(await store.awaitPeriod({ token, payment, endsAtSeconds })).toBe('done')
  expect(await shown()).toMatchObject({
    state: 'blocked',
    blockCode: 'period_cap_exceeded',
    postponedUntil: null,
  })
})

test('a short back-off for another reason is not shown as waiting for a period', async () => {
  expect(await store.postpone({ token, payment, reason: 'chain_unavailable' })).toBe('done')
  expect(await shown()).toMatchObject({ state: 'queued', postponedUntil: null })
})
