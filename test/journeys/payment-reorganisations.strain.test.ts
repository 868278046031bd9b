/** Reorganisations before a payment is final: it is never confirmed early and is paid once. */
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  ageAttempts,
  attemptsInRows,
  type FaultyTreasury,
  mine,
  outcomesOf,
  startFaultyTreasury,
  untilLooked,
  withhold,
} from '#test/support/faulty-nodes.ts'
import { isProof } from '#test/support/figures.ts'
import { expectPaidOnce, untilPayment } from '#test/support/paid-once.ts'
import {
  approve,
  awaitingApproval,
  openPayingHouse,
  type PayingHouse,
  type ReadExpense,
  readPayment,
  tokenBalance,
} from '#test/support/payments.ts'

vi.setConfig({ testTimeout: 60_000 })

const CONFIRMATIONS = 3

let treasury: FaultyTreasury
let house: PayingHouse
let before: bigint

beforeAll(async () => {
  treasury = await startFaultyTreasury({ confirmations: CONFIRMATIONS })
  house = await openPayingHouse(treasury)
})
afterAll(() => treasury.stop())
beforeEach(async () => {
  treasury.node.heal()
  before = await tokenBalance(house, house.recipient)
})

/** Signed and persisted, but withheld from the chain. */
async function inFlight() {
  const withheld = withhold(treasury)
  const expense = await awaitingApproval(house)
  expect((await approve(house, expense)).status).toBe(202)
  await untilPayment(house, expense.paymentId, 'broadcast')
  return { expense, withheld }
}

const head = async () => Number(await treasury.chain.client.getBlockNumber({ cacheTime: 0 }))

/** Reverts the chain to before `work`; returns how many blocks were removed. */
async function undo(work: () => Promise<unknown>): Promise<number> {
  const { chain } = treasury
  const snapshot = await chain.request('evm_snapshot')
  const from = await head()
  await work()
  const depth = (await head()) - from
  expect(await chain.request('evm_revert', snapshot)).toBe(true)
  return depth
}

async function expectUndecided({ paymentId }: ReadExpense): Promise<void> {
  const { payment } = await readPayment(house, paymentId)
  expect(['broadcast', 'reconciling']).toContain(payment.state)
  expect(await outcomesOf(house, paymentId)).toEqual([])
}

/** Expects confirmation with two blocks above its own, and not a block earlier. */
async function expectConfirmedWhenFinal(expense: ReadExpense): Promise<void> {
  await expect.poll(() => tokenBalance(house, house.recipient)).toBeGreaterThan(before)
  for (let above = 1; above < CONFIRMATIONS; above += 1) {
    await untilLooked(treasury.node, 0)
    await expectUndecided(expense)
    await mine(treasury, 1)
  }
  const { receipt } = await expectPaidOnce(house, expense, before)
  expect(receipt.blockNumber).toBeLessThanOrEqual((await head()) - CONFIRMATIONS + 1)
  expect(await outcomesOf(house, expense.paymentId)).toEqual(['confirmed'])
  const attempts = await attemptsInRows(house, expense.paymentId)
  expect(attempts.map(({ state }) => state)).toEqual(['mined'])
}

/** The tests try the least and the greatest, and where nothing is mined only the greatest. */
const DEPTHS = isProof('PROVE_DEPTHS') ? [1, 2, 3] : [1, 3]
const DEPTHS_UNMINED = isProof('PROVE_DEPTHS') ? DEPTHS : [3]

/** Mined in the last blocks of the reorganised chain, where it is not final yet. */
const depths = DEPTHS.map((depth) => ({ depth, above: Math.min(depth, CONFIRMATIONS - 1) - 1 }))

/** Mined with that many blocks above it, observed by the engine, then reorganised away. */
async function mineAndUndo(
  { expense, withheld }: Awaited<ReturnType<typeof inFlight>>,
  { depth, above }: { depth: number; above: number },
): Promise<void> {
  const undone = await undo(async () => {
    await mine(treasury, depth - above - 1)
    await withheld.deliver(withheld.raws[0])
    await expect.poll(() => tokenBalance(house, house.recipient)).toBeGreaterThan(before)
    await mine(treasury, above)
    await untilLooked(treasury.node)
    await expectUndecided(expense)
  })
  expect(undone).toBe(depth)
  expect(await tokenBalance(house, house.recipient)).toBe(before)
}

describe('a reorganisation after the broadcast', () => {
  test.for(depths)('of depth $depth that includes it again confirms it', async (where) => {
    const { expense, withheld } = await inFlight()
    await mineAndUndo({ expense, withheld }, where)
    await mine(treasury, where.depth)
    await withheld.deliver(withheld.raws[0])
    await expectConfirmedWhenFinal(expense)
  })

  test.for(depths)('of depth $depth that omits it has it sent again', async (where) => {
    const { expense, withheld } = await inFlight()
    await mineAndUndo({ expense, withheld }, where)
    // Longer than before, deep enough to be final, and without the transaction.
    await mine(treasury, where.depth + CONFIRMATIONS)
    await untilLooked(treasury.node)
    await expectUndecided(expense)
    treasury.node.heal()
    await ageAttempts(house, expense.paymentId, '6 seconds')
    await expectConfirmedWhenFinal(expense)
    const [attempt] = await attemptsInRows(house, expense.paymentId)
    expect(new Set(withheld.raws)).toEqual(new Set([attempt?.raw]))
  })
})

describe('a reorganisation before the transaction is mined', () => {
  test.for(DEPTHS_UNMINED)('of depth %i does not affect it', async (depth) => {
    const { expense, withheld } = await inFlight()
    expect(await undo(() => mine(treasury, depth))).toBe(depth)
    await mine(treasury, depth + 1)
    await untilLooked(treasury.node)
    await expectUndecided(expense)
    await withheld.deliver(withheld.raws[0])
    await expectConfirmedWhenFinal(expense)
  })
})
