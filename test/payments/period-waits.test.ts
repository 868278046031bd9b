/** A payment whose spending period has no room: it waits for the next, or is blocked. */
import { timestampToSeconds } from '@countersign/proof/values.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
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

describe('after its transaction has reverted for good', () => {
  const finalizedNumber = 40
  let endsAtSeconds: number

  beforeEach(async () => {
    endsAtSeconds = timestampToSeconds((await shown()).deadline)
    await service.database.asOwner(
      `update payments set state = 'broadcast', has_open_attempt = true, is_given_up = true,
         transaction_hash = $1, executor_binding_id = $2, executor_address = recipient_address,
         executor_provider_type = 'local'`,
      [`0x${'7'.repeat(64)}`, laneId],
    )
    await service.database.asOwner(`update expenses set state = 'executing', block_code = null`)
    await service.database.asOwner(`update approvals set state = 'signed', end_code = null`)
    const [sent] = (await load()).unsettled
    if (!sent) throw new Error('Nothing is in flight')
    payment = sent
  })

  const expenseState = async () => {
    const [row] = await service.database.asOwner<{ state: string }>('select state from expenses')
    return row?.state
  }
  const requeue = (seconds = endsAtSeconds) =>
    store.requeue({ token, payment, endsAtSeconds: seconds, finalizedNumber })

  test('it waits in the queue like one that was never sent', async () => {
    const { deadline } = await shown()
    expect(await requeue()).toBe('done')
    expect(await shown()).toMatchObject({
      ...{ state: 'queued', postponedUntil: deadline, blockCode: null },
      ...{ transactionHash: null, executorAddress: null },
    })
    expect(await expenseState()).toBe('approved_ready_for_payment')
    expect(await load()).toMatchObject({ unsettled: [], finalizedFloor: finalizedNumber })
    // What happened to approvals and policy in the meantime is applied to it again.
    const jobs = await service.database.asOwner(
      `select task_identifier as name from graphile_worker.jobs
       where task_identifier in ('expire_approval', 'apply_policy_change') order by 1`,
    )
    expect(jobs.map(({ name }) => name)).toEqual(['apply_policy_change', 'expire_approval'])
  })

  test('it waits from reconciling as well', async () => {
    await service.database.asOwner(`update payments set state = 'reconciling'`)
    await service.database.asOwner(`update expenses set state = 'reconciling'`)
    payment = { ...payment, state: 'reconciling' }
    expect(await requeue()).toBe('done')
    expect(await expenseState()).toBe('approved_ready_for_payment')
  })

  test('it is blocked if the period ends after its deadline', async () => {
    expect(await requeue(endsAtSeconds + 1)).toBe('done')
    expect(await shown()).toMatchObject({ state: 'blocked', blockCode: 'period_cap_exceeded' })
    expect(await expenseState()).toBe('blocked')
    expect((await load()).unsettled).toEqual([])
  })

  test('it fails if its approval has ended in the meantime', async () => {
    await service.database.asOwner(`update approvals set state = 'superseded'`)
    expect(await requeue()).toBe('done')
    expect(await shown()).toMatchObject({ state: 'failed', blockCode: 'transaction_reverted' })
    expect((await load()).queued).toEqual([])
  })
})
