/** The fencing token in SQL: the writes of a stale writer change no row. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { SignedAttempt } from '#payments/engine/attempt.ts'
import type { FencingToken, LanePayment } from '#payments/engine/lane.ts'
import { createLaneStore } from '#payments/lane-store/lane-store.ts'
import type { Sign } from '#ports/executor-provider.ts'
import { startTestApp, type TestApp } from '#test/support/app.ts'
import { expenseIn } from '#test/support/expense-states.ts'
import { openSigningHouse, signAs } from '#test/support/signing.ts'
import { liftOwnersRowSecurity } from '#test/support/steps.ts'

let service: TestApp
let store: ReturnType<typeof createLaneStore>
let laneId: string
let payment: LanePayment
/** Of a writer that lost the lane, and of the one that holds it. */
let stale: FencingToken
let held: FencingToken

const rows = () =>
  service.database.asOwner(
    `select b.*, p.state as payment_state, p.block_code, p.postponed_times, p.postponed_until,
       p.has_open_attempt from executor_bindings b join payments p on p.lane_id = b.id`,
  )

async function claim(): Promise<FencingToken> {
  const claimed = await store.claimLane({ laneId, leaseMs: 60_000 })
  if (claimed.outcome !== 'claimed') throw new Error('The lane is busy')
  return claimed.token
}

beforeAll(async () => {
  service = await startTestApp()
  const { asOwner } = service.database
  await liftOwnersRowSecurity(service.database)
  const house = await openSigningHouse(service)
  const expense = await expenseIn(service, house, 'awaiting_approval')
  expect((await signAs(service, house, expense, house.signer)).status).toBe(202)
  const [binding] = await asOwner<{ id: string }>('select id from executor_bindings')
  laneId = binding?.id ?? ''
  await asOwner(`update payments set state = 'queued', lane_id = $1, released_at = now()`, [laneId])
  store = createLaneStore(service.ctx, house.organization.id, sign)
  stale = await claim()
  await asOwner(`update executor_bindings set lease_until = now() - interval '1 second'`)
  held = await claim()
  const lane = await store.loadLane({ token: held, queuedMax: 4 })
  if (lane === 'stale' || !lane.queued[0]) throw new Error('Nothing is queued')
  payment = lane.queued[0]
})
afterAll(() => service.stop())

test('each claim has a higher fencing token, and a lane is claimed once at a time', async () => {
  expect(held.epoch).toBe(stale.epoch + 1)
  const again = await store.claimLane({ laneId, leaseMs: 60_000 })
  expect(again).toEqual({ outcome: 'busy', freeInMs: expect.any(Number) })
})

const fees = { maxFeePerGas: 2n, maxPriorityFeePerGas: 1n }
const sign = () => Promise.reject(new Error('a stale writer signs nothing'))
const finalizedNumber = 10

test.each<[string, (token: FencingToken) => Promise<unknown>]>([
  ['renewLane', (token) => store.renewLane({ token, leaseMs: 600_000 })],
  ['releaseLane', (token) => store.releaseLane({ token })],
  ['loadLane', (token) => store.loadLane({ token, queuedMax: 4 })],
  ['writeAhead', (token) => store.writeAhead({ token, payments: [payment], fees, chainNonce: 0 })],
  ['writeDelegated', (token) => store.writeDelegated({ token, payments: [payment] })],
  ['postpone', (token) => store.postpone({ token, payment, reason: 'gas_missing' })],
  ['awaitPeriod', (token) => store.awaitPeriod({ token, payment, endsAtSeconds: 2_000_000_000 })],
  [
    'requeue',
    (token) => store.requeue({ token, payment, endsAtSeconds: 2_000_000_000, finalizedNumber }),
  ],
  ['block', (token) => store.block({ token, payment, code: 'nodes_disagree' })],
  ['lose', (token) => store.lose({ token, payment })],
  ['reconcile', (token) => store.reconcile({ token, payment })],
  [
    'fail',
    (token) => store.fail({ token, payment, code: 'transaction_reverted', finalizedNumber }),
  ],
  [
    'deny',
    (token) => store.deny({ token, payment, code: 'transaction_reverted', finalizedNumber }),
  ],
  ['holdLane', (token) => store.holdLane({ token, chainNonce: 3 })],
  ['adoptExecuted', (token) => store.adoptExecuted({ token })],
  ['releaseHold', (token) => store.releaseHold({ token, chainNonce: 3, finalizedNumber: 0 })],
])('%s of a stale writer answers stale and changes nothing', async (_name, write) => {
  const before = await rows()
  expect(before).toHaveLength(1)
  expect(await write(stale)).toBe('stale')
  expect(await rows()).toEqual(before)
})

/** A store whose chain reads other content from the stored bytes of an attempt. */
async function replaceAfterReading(read: { from?: string; nonce?: number }) {
  const signed: unknown[] = []
  const [binding] = await rows()
  const lane = { from: String(binding?.address), nonce: 5, fees, call: payment.call }
  const readSigned = async () => ({ ...lane, ...read })
  const chain = { ...service.ctx.chain, readSigned } as typeof service.ctx.chain
  const replaced = { kind: 'signed', nonce: 5, feeRank: 0, raw: '0x' } as unknown as SignedAttempt
  const noted: Sign = async (asked) => {
    signed.push(asked)
    throw new Error('signed')
  }
  const organizationId = String(binding?.organization_id)
  const reading = createLaneStore({ ...service.ctx, chain }, organizationId, noted)
  const asked = { token: held, payment, replaced, fees }
  const ended = await reading.writeReplacement(asked).catch(({ message }: Error) => message)
  return { ended, signed }
}

test.each([
  ['nonce', { nonce: 6 }],
  ['sender', { from: `0x${'9'.repeat(40)}` }],
])('stored bytes of another %s are not signed again', async (_name, read) => {
  const { ended, signed } = await replaceAfterReading(read)
  expect(ended).toBe(
    'The stored transaction of an attempt has another sender or nonce than its row',
  )
  expect(signed).toEqual([])
})

test('stored bytes of the same nonce and sender are signed again with the same call', async () => {
  const { ended, signed } = await replaceAfterReading({})
  expect(ended).toBe('signed')
  expect(signed).toMatchObject([{ nonce: 5, call: payment.call, fees }])
})

test("the holder's own writes are done", async () => {
  expect(await store.renewLane({ token: held, leaseMs: 60_000 })).toBe('done')
  expect(await store.postpone({ token: held, payment, reason: 'gas_missing' })).toBe('done')
  expect(await store.holdLane({ token: held, chainNonce: 3 })).toBe('done')
  const [row] = await rows()
  expect(row).toMatchObject({ is_held: true, postponed_times: 1 })
})

test('skips a payment that has been reserved again', async () => {
  const earlier = { ...payment, epoch: payment.epoch - 1 }
  const other = { ...payment, state: 'reserved' as const }
  const before = await rows()
  for (const one of [earlier, other]) {
    expect(await store.block({ token: held, payment: one, code: 'nodes_disagree' })).toBe('stale')
  }
  expect(await rows()).toEqual(before)
})

test('a lane is free at the very end of its lease', async () => {
  expect(await store.releaseLane({ token: held })).toBe('done')
  expect((await claim()).epoch).toBe(held.epoch + 1)
})
