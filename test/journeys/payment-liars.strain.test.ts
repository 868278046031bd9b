/** Two nodes that disagree: nothing is decided until they agree. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  attemptsInRows,
  ENGINE_PATH,
  type FaultyTreasury,
  mine,
  outcomesOf,
  startFaultyTreasury,
  untilLooked,
  withhold,
} from '#test/support/faulty-nodes.ts'
import { isProof, reportFigures, sizeOf } from '#test/support/figures.ts'
import { expectPaidOnce, untilPayment } from '#test/support/paid-once.ts'
import { pauseToken } from '#test/support/past-the-service.ts'
import {
  approve,
  awaitingApproval,
  openPayingHouse,
  type PayingHouse,
  type ReadExpense,
  readPayment,
  release,
  step,
  tokenBalance,
  untilState,
} from '#test/support/payments.ts'
import { times } from '#test/support/steps.ts'

/** How many blocks it is behind. */
const LAGS = isProof('PROVE_LAGS') ? times(sizeOf('PROVE_LAGS', 20), (n) => n + 1) : [1, 20]

let treasury: FaultyTreasury
let house: PayingHouse
let before: bigint

beforeAll(async () => {
  treasury = await startFaultyTreasury({ nodes: 2 })
  house = await openPayingHouse(treasury)
})
afterAll(() => treasury.stop())
beforeEach(async () => {
  for (const node of [treasury.node, treasury.second]) node.heal()
  before = await tokenBalance(house, house.recipient)
})

async function approved(): Promise<ReadExpense> {
  const expense = await awaitingApproval(house)
  expect((await approve(house, expense)).status).toBe(202)
  return expense
}

/** Withholds what was sent, so that only the two nodes have it. */
async function inFlight() {
  const withheld = withhold(treasury)
  withhold({ node: treasury.second, chain: treasury.chain })
  const expense = await approved()
  await untilPayment(house, expense.paymentId, 'broadcast')
  return { expense, withheld }
}

const reconcile = ({ paymentId, currentRevision }: ReadExpense) =>
  step(house, `payments/${paymentId}/reconcile`, { expectedVersion: currentRevision })

async function expectBlockedAndWatched(expense: ReadExpense): Promise<void> {
  const { payment, receipt } = await untilPayment(house, expense.paymentId, 'blocked')
  expect([payment.blockCode, receipt]).toEqual(['nodes_disagree', null])
  await untilState(house, expense.id, 'blocked')
  // Reconciling while the node still lies leaves it blocked.
  expect((await reconcile(expense)).status).toBe(202)
  await untilPayment(house, expense.paymentId, 'blocked')
  expect(await outcomesOf(house, expense.paymentId)).toEqual(['blocked', 'blocked'])
  // A payment that is or may still be paid can be neither released nor signed again.
  const again = await release(house, expense)
  expect(again.body.state).toBe('blocked')
  expect(await attemptsInRows(house, expense.paymentId)).toHaveLength(1)
}

describe('a node that lies about a receipt', () => {
  test('with another amount in the log blocks the payment, which is later confirmed', async () => {
    treasury.second.tamper = ({ method }, result) => {
      if (method !== 'eth_getTransactionReceipt' || !result) return result
      return { ...result, logs: result.logs.map(raised) }
    }
    const expense = await approved()
    await expectBlockedAndWatched(expense)
    treasury.second.heal()
    expect((await reconcile(expense)).body.state).toBe('reconciling')
    await expectPaidOnce(house, expense, before)
  })

  test('with a false success blocks the payment, which fails and is then paid', async () => {
    const { expense, withheld } = await inFlight()
    await pauseToken(house, true)
    treasury.second.tamper = ({ method }, result) =>
      method === 'eth_getTransactionReceipt' && result ? { ...result, status: '0x1' } : result
    await withheld.deliver(withheld.raws[0])
    await expectBlockedAndWatched(expense)
    treasury.second.heal()
    expect((await reconcile(expense)).body.state).toBe('reconciling')
    const { payment } = await untilPayment(house, expense.paymentId, 'failed')
    expect(payment.blockCode).toBe('transaction_reverted')
    expect(await tokenBalance(house, house.recipient)).toBe(before)
    await pauseToken(house, false)
    treasury.node.heal()
    expect((await release(house, expense)).body.state).toBe('queued')
    await expectPaidOnce(house, expense, before)
  })

  test('with a false failure never fails the payment, which is confirmed in the end', async () => {
    treasury.second.tamper = ({ method }, result) =>
      method === 'eth_getTransactionReceipt' && result
        ? { ...result, status: '0x0', logs: [] }
        : result
    const expense = await approved()
    await untilLooked(treasury.second, 3)
    const { payment } = await readPayment(house, expense.paymentId)
    expect(['submitting', 'broadcast', 'reconciling', 'blocked']).toContain(payment.state)
    treasury.second.heal()
    if (payment.state === 'blocked') await reconcile(expense)
    await expectPaidOnce(house, expense, before)
    expect(await outcomesOf(house, expense.paymentId)).not.toContain('failed')
  })

  test('by denying it leaves the payment waiting, neither blocked nor confirmed', async () => {
    treasury.second.tamper = ({ method }, result) =>
      method === 'eth_getTransactionReceipt' ? null : result
    const expense = await approved()
    await expect.poll(() => tokenBalance(house, house.recipient)).toBeGreaterThan(before)
    await untilLooked(treasury.second, 3)
    expect(await outcomesOf(house, expense.paymentId)).toEqual([])
    treasury.second.heal()
    await expectPaidOnce(house, expense, before)
  })
})

describe('a node on another fork', () => {
  test('blocks payments in flight, which are confirmed once both agree again', async () => {
    const { expense, withheld } = await inFlight()
    treasury.second.tamper = ({ method }, result) =>
      method === 'eth_getBlockByNumber' && result
        ? { ...result, hash: `0x${'ab'.repeat(32)}` }
        : result
    const { payment } = await untilPayment(house, expense.paymentId, 'blocked')
    expect(payment.blockCode).toBe('nodes_disagree')
    await withheld.deliver(withheld.raws[0])
    await untilLooked(treasury.node, 0)
    expect(await outcomesOf(house, expense.paymentId)).toEqual(['blocked'])
    treasury.second.heal()
    expect((await reconcile(expense)).status).toBe(202)
    await expectPaidOnce(house, expense, before)
  })
})

/**
 * For the engine the node stays at the current block with its nonce. The follower continues, so
 * that only the engine's own observation can keep it from deciding.
 */
async function standStill({ chain, second }: FaultyTreasury): Promise<void> {
  const old = (await chain.request('eth_getBlockByNumber', 'latest', false)) as { number: string }
  const nonce = await chain.request('eth_getTransactionCount', house.executor, 'latest')
  const isNewer = (number: string) => BigInt(number) > BigInt(old.number)
  second.tamper = ({ method, params, path }, result) => {
    if (path !== ENGINE_PATH) return result
    if (method === 'eth_blockNumber') return old.number
    if (method === 'eth_getTransactionCount' && params[1] === 'latest') return nonce
    if (method === 'eth_getTransactionReceipt') {
      return result && isNewer(result.blockNumber) ? null : result
    }
    if (method !== 'eth_getBlockByNumber' || !result) return result
    if (params[0] === 'latest') return old
    return isNewer(result.number) ? null : result
  }
}

describe('a node that lags', () => {
  test(`by ${LAGS.join(', ')} blocks decides nothing, and hinders nobody for ever`, async () => {
    const wrong: { lag: number; outcomes: string[]; attempts: number }[] = []
    for (const lag of LAGS) {
      before = await tokenBalance(house, house.recipient)
      await standStill(treasury)
      const expense = await approved()
      await expect.poll(() => tokenBalance(house, house.recipient)).toBeGreaterThan(before)
      await mine(treasury, lag - 1)
      await untilLooked(treasury.second, 3)
      const outcomes = await outcomesOf(house, expense.paymentId)
      treasury.second.heal()
      await expectPaidOnce(house, expense, before)
      const attempts = (await attemptsInRows(house, expense.paymentId)).length
      if (outcomes.length > 0 || attempts !== 1) wrong.push({ lag, outcomes, attempts })
    }
    reportFigures({ lags: { least: LAGS[0], most: LAGS.at(-1), tried: LAGS.length } })
    reportFigures({ wrongDecisions: wrong.length })
    expect(wrong).toEqual([])
  }, 1_800_000)
})

type Log = { data: string }

/** Changes the last digit of the second word, which is the amount in the vault's payment log. */
const AMOUNT_ENDS_AT = '0x'.length + 2 * 64 - 1

const raised = (log: Log): Log => {
  const { data } = log
  const digit = data[AMOUNT_ENDS_AT]
  if (digit === undefined) return log
  const other = digit === '1' ? '2' : '1'
  return {
    ...log,
    data: `${data.slice(0, AMOUNT_ENDS_AT)}${other}${data.slice(AMOUNT_ENDS_AT + 1)}`,
  }
}
