/** A replacement repeats what was signed, even if the rows have changed since. */
import { type Hex, parseTransaction } from 'viem'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { findLane } from '#executor/lane.ts'
import { laneSigner } from '#payments/lane-store/lane-executor.ts'
import { createLaneStore } from '#payments/lane-store/lane-store.ts'
import {
  attemptsInRows,
  type FaultyTreasury,
  startFaultyTreasury,
  withhold,
} from '#test/support/faulty-nodes.ts'
import { asOwner } from '#test/support/lane-rows.ts'
import { untilPayment } from '#test/support/paid-once.ts'
import {
  automaticReady,
  openPayingHouse,
  type PayingHouse,
  type ReadExpense,
  release,
} from '#test/support/payments.ts'

let treasury: FaultyTreasury
let house: PayingHouse
let expense: ReadExpense

/** Sends a transaction that is never mined, and stops the worker. */
beforeAll(async () => {
  treasury = await startFaultyTreasury({ env: { PAYMENT_RELEASE: 'manual' } })
  house = await openPayingHouse(treasury)
  withhold(treasury)
  expense = await automaticReady(house)
  expect((await release(house, expense)).status).toBe(202)
  await untilPayment(house, expense.paymentId, 'broadcast')
  await treasury.worker.stop()
  await asOwner(
    house,
    'update payments set amount = amount + 7, recipient_address = $2 where id = $1',
    [expense.paymentId, `0x${'ab'.repeat(20)}`],
  )
})
afterAll(() => treasury.stop())

/** Replaces as a lane pass does, with the rows as they are now. */
async function replace() {
  const { ctx } = treasury.service
  const organizationId = house.id
  const [row] = await asOwner<{ id: string }>(house, 'select id from executor_bindings')
  const laneId = row?.id ?? ''
  const lane = await ctx.db.transaction({ organizationId }, (tx) =>
    findLane(tx, { organizationId, laneId }),
  )
  if (!lane) throw new Error('The lane is gone')
  const books = createLaneStore(ctx, organizationId, laneSigner(ctx, { organizationId, lane }))
  const token = await vi.waitFor(async () => {
    const claim = await books.claimLane({ laneId, leaseMs: 5_000 })
    if (claim.outcome !== 'claimed') throw new Error('The lane is busy')
    return claim.token
  }, 20_000)
  const loaded = await books.loadLane({ token, queuedMax: 16 })
  if (loaded === 'stale') throw new Error('The lane is gone')
  const payment = loaded.unsettled.find(({ id }) => id === expense.paymentId)
  const replaced = payment?.attempts.at(-1)
  if (!payment || replaced?.kind !== 'signed') throw new Error('Nothing was signed')
  const fees = {
    maxFeePerGas: replaced.fees.maxFeePerGas * 2n,
    maxPriorityFeePerGas: replaced.fees.maxPriorityFeePerGas * 2n,
  }
  try {
    return await books.writeReplacement({ token, payment, replaced, fees })
  } finally {
    await books.releaseLane({ token })
  }
}

test('recipient and amount changed in the rows: the original call is signed again', async () => {
  expect(await replace()).toMatchObject({ feeRank: 1 })
  const [first, again, ...more] = await attemptsInRows(house, expense.paymentId)
  expect(more).toEqual([])
  const [original, repeated] = [first, again].map((one) => parseTransaction(one?.raw as Hex))
  expect(original?.data).toBeDefined()
  expect([repeated?.to, repeated?.data, repeated?.nonce]).toEqual([
    original?.to,
    original?.data,
    original?.nonce,
  ])
  expect(repeated?.maxFeePerGas).toBe((original?.maxFeePerGas ?? 0n) * 2n)
})

/** Stored bytes with the recipient in the signed call changed, and arbitrary bytes. */
const altered = (raw: Hex): Hex => {
  const digits = house.recipient.slice(2).toLowerCase()
  const at = raw.indexOf(digits)
  expect(at).toBeGreaterThan(0)
  return `${raw.slice(0, at)}${digits.startsWith('0') ? '1' : '0'}${raw.slice(at + 1)}` as Hex
}

test.each([
  ['altered', altered],
  ['cut off', (raw: Hex): Hex => raw.slice(0, 200) as Hex],
])(
  'stored bytes that were %s are not signed again, and nothing is stored',
  async (_how, change) => {
    const before = await attemptsInRows(house, expense.paymentId)
    const last = before.at(-1)
    if (!last) throw new Error('Nothing was signed')
    const write = (raw: Hex) =>
      asOwner(house, 'update payment_attempts set raw = $2 where transaction_hash = $1', [
        last.hash,
        raw,
      ])
    await write(change(last.raw))
    await expect(replace()).rejects.toThrow()
    await write(last.raw)
    expect(await attemptsInRows(house, expense.paymentId)).toEqual(before)
  },
)
