/** Lost answers, unavailable nodes, no mining, no gas: in the end each payment is paid once. */
import { parseTransaction } from 'viem'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  ageAttempts,
  attemptsInRows,
  type FaultyTreasury,
  isSend,
  outcomesOf,
  startFaultyTreasury,
  untilLooked,
  withhold,
} from '#test/support/faulty-nodes.ts'
import { reportFigures } from '#test/support/figures.ts'
import { expectPaidOnce, untilPayment } from '#test/support/paid-once.ts'
import { giveGas } from '#test/support/past-the-service.ts'
import {
  approve,
  awaitingApproval,
  openPayingHouse,
  type PayingHouse,
  type ReadExpense,
  readPayment,
  tokenBalance,
} from '#test/support/payments.ts'
import { auditTrail } from '#test/support/steps.ts'

let treasury: FaultyTreasury
let house: PayingHouse
let before: bigint

beforeAll(async () => {
  treasury = await startFaultyTreasury()
  house = await openPayingHouse(treasury)
})
afterAll(() => treasury.stop())
beforeEach(async () => {
  treasury.node.heal()
  before = await tokenBalance(house, house.recipient)
})

async function approved(): Promise<ReadExpense> {
  const expense = await awaitingApproval(house)
  expect((await approve(house, expense)).status).toBe(202)
  return expense
}

/** Withholds what was sent, so that only the proxied node has it. */
async function inFlight() {
  const withheld = withhold(treasury)
  const expense = await approved()
  await untilPayment(house, expense.paymentId, 'broadcast')
  return { expense, withheld }
}

const hashes: number[] = []
afterAll(() => {
  if (hashes.length > 0) reportFigures({ hashesMax: Math.max(...hashes) })
})

async function expectOneHash({ paymentId }: ReadExpense): Promise<void> {
  const attempts = await attemptsInRows(house, paymentId)
  hashes.push(attempts.length)
  expect(attempts.map(({ state }) => state)).toEqual(['mined'])
}

describe('the answer to a send is lost', () => {
  test('and the transaction was mined: it is found, not sent anew', async () => {
    const sent: string[] = []
    treasury.node.tamper = (call, result) => {
      if (!isSend(call)) return result
      sent.push(call.params[0])
      throw new Error('The line is cut behind the node')
    }
    const expense = await approved()
    await expectPaidOnce(house, expense, before)
    const [attempt] = await attemptsInRows(house, expense.paymentId)
    expect(new Set(sent)).toEqual(new Set([attempt?.raw]))
    await expectOneHash(expense)
  })

  test('and the transaction with it: the same bytes are sent again', async () => {
    const sent: string[] = []
    treasury.node.trouble = (call) => {
      if (!isSend(call)) return undefined
      sent.push(call.params[0])
      return sent.length < 3 ? 'hang up' : undefined
    }
    const expense = await approved()
    await untilPayment(house, expense.paymentId, 'submitting')
    for (const count of [1, 2]) {
      await expect.poll(() => sent.length).toBe(count)
      await untilLooked(treasury.node)
      await ageAttempts(house, expense.paymentId, '6 seconds')
    }
    await expectPaidOnce(house, expense, before)
    const [attempt] = await attemptsInRows(house, expense.paymentId)
    expect(sent).toEqual([attempt?.raw, attempt?.raw, attempt?.raw])
    await expectOneHash(expense)
  })
})

describe('the node is away', () => {
  test('while a transaction is mined: it is seen when the node is back', async () => {
    const { expense, withheld } = await inFlight()
    treasury.node.trouble = () => 'hang up'
    await withheld.deliver(withheld.raws[0])
    await expect.poll(() => tokenBalance(house, house.recipient)).toBeGreaterThan(before)
    const { length } = treasury.node.calls
    await expect.poll(() => treasury.node.calls.length).toBeGreaterThan(length + 10)
    expect((await readPayment(house, expense.paymentId)).payment.state).toBe('broadcast')
    treasury.node.heal()
    await expectPaidOnce(house, expense, before)
    await expectOneHash(expense)
  })

  test('and has forgotten the transaction: the same bytes are sent again', async () => {
    const { expense, withheld } = await inFlight()
    treasury.node.trouble = () => ({ status: 502, text: 'Bad gateway' })
    const { length } = treasury.node.calls
    await expect.poll(() => treasury.node.calls.length).toBeGreaterThan(length + 10)
    treasury.node.heal()
    await ageAttempts(house, expense.paymentId, '6 seconds')
    const { payment } = await expectPaidOnce(house, expense, before)
    const [attempt] = await attemptsInRows(house, expense.paymentId)
    expect([attempt?.raw, attempt?.hash]).toEqual([withheld.raws[0], payment.transactionHash])
    await expectOneHash(expense)
  })

  test('before anything is sent: it stays queued, and goes on', async () => {
    const expense = await awaitingApproval(house)
    let tries = 0
    treasury.node.trouble = ({ method }) => {
      if (method !== 'eth_call') return undefined
      tries += 1
      return 'hang up'
    }
    const signed = await approve(house, expense)
    expect([signed.status, signed.body.state]).toEqual([202, 'queued'])
    await expect.poll(() => tries).toBeGreaterThan(1)
    const { payment, attempts } = await readPayment(house, expense.paymentId)
    expect([payment.state, attempts]).toEqual(['queued', []])
    treasury.node.heal()
    await expectPaidOnce(house, expense, before)
  })
})

describe('nobody mines a transaction', () => {
  /** Over five minutes: the first replacement after 30 s, the next after 60, 120 and 240 s. */
  const AGES = [31, 61, 121, 90]
  const GWEI = 10n ** 9n
  const told = { courses: 0, replacements: 0, ratioMax: 0 }
  afterAll(() => reportFigures({ fees: told }))

  /** Sets the base fee of recent blocks too, because the fee ceiling follows them. */
  const setBaseFee = (wei: bigint) => {
    const baseFeePerGas = `0x${wei.toString(16)}`
    treasury.node.tamper = ({ method }, result) => {
      if (!result?.baseFeePerGas) return result
      if (method === 'eth_getBlockByNumber') return { ...result, baseFeePerGas }
      const recent = result.baseFeePerGas.map(() => baseFeePerGas)
      return method === 'eth_feeHistory' ? { ...result, baseFeePerGas: recent } : result
    }
  }

  /** The replacements at each step, with a tenfold base fee from one of them on. */
  type Course = { spikesAt: number; replacements: readonly number[] }

  async function passFiveMinutes(paymentId: string, course: Course): Promise<void> {
    for (const [step, seconds] of AGES.entries()) {
      if (step === course.spikesAt) setBaseFee(10n * GWEI)
      await treasury.service.database.asOwner(
        'update payments set state_since = state_since - $2::interval where id = $1',
        [paymentId, `${seconds} seconds`],
      )
      await ageAttempts(house, paymentId, `${seconds} seconds`)
      const { length } = await vi.waitFor(async () => {
        const attempts = await attemptsInRows(house, paymentId)
        expect(attempts.length).toBeGreaterThan(course.replacements[step] ?? 0)
        return attempts
      }, 20_000)
      expect(length).toBe(1 + (course.replacements[step] ?? 0))
    }
    await untilLooked(treasury.node)
  }

  test.each<[string, Course]>([
    ['while fees stay unchanged', { spikesAt: Infinity, replacements: [1, 2, 3, 3] }],
    ['when fees are ten times higher at once', { spikesAt: 0, replacements: [1, 1, 1, 1] }],
    ['when fees are ten times higher later', { spikesAt: 1, replacements: [1, 2, 2, 2] }],
  ])(
    '%s it is replaced at its nonce with the same call, with a bounded fee',
    async (_w, course) => {
      const { spikesAt } = course
      const replacements = course.replacements.at(-1) ?? 0
      setBaseFee(GWEI)
      const { expense, withheld } = await inFlight()
      const { paymentId } = expense
      await passFiveMinutes(paymentId, course)

      const attempts = await attemptsInRows(house, paymentId)
      expect(attempts).toHaveLength(1 + replacements)
      const fees = attempts.map(({ fee }) => BigInt(fee))
      const [least = 0n] = fees
      for (const [n, fee] of fees.slice(1).entries()) {
        expect(fee * 8n).toBeGreaterThanOrEqual((fees[n] ?? 0n) * 9n)
        expect(fee).toBeLessThanOrEqual(least * 5n)
        told.ratioMax = Math.max(told.ratioMax, Number((1_000n * fee) / least) / 1_000)
      }
      if (spikesAt < AGES.length) expect(fees.at(-1)).toBe(least * 5n)
      const calls = attempts.map(({ raw }) => {
        const { nonce, to, data, gas } = parseTransaction(raw)
        return { nonce, to, data, gas }
      })
      expect(new Set(calls.map((call) => JSON.stringify(call, texts))).size).toBe(1)
      expect(new Set(withheld.raws)).toEqual(new Set(attempts.map(({ raw }) => raw)))

      // Whichever of them is mined is the one payment.
      const [, second] = attempts
      await withheld.deliver(second?.raw)
      const { payment } = await expectPaidOnce(house, expense, before)
      expect(payment.transactionHash).toBe(second?.hash)
      const states = (await attemptsInRows(house, paymentId)).map(({ state }) => state)
      expect(states).toEqual(attempts.map((_, n) => (n === 1 ? 'mined' : 'cleared')))
      expect(await outcomesOf(house, paymentId)).toEqual(['confirmed'])
      told.courses += 1
      told.replacements += replacements
    },
  )

  test('those behind it wait for it, and all are paid in the order of their nonces', async () => {
    const first = await inFlight()
    const second = await approved()
    await untilPayment(house, second.paymentId, 'broadcast')
    // On a slow machine the first may have been resent already.
    const [earlier, later] = new Set(first.withheld.raws)
    // Its nonce is too high for now; the node keeps it until the one before arrives.
    await first.withheld.deliver(later)
    await untilLooked(treasury.node)
    expect((await readPayment(house, second.paymentId)).payment.state).toBe('broadcast')
    await first.withheld.deliver(earlier)
    await untilPayment(house, first.expense.paymentId, 'confirmed')
    await untilPayment(house, second.paymentId, 'confirmed')
    const nonces = await Promise.all(
      [first.expense, second].map(({ paymentId }) => attemptsInRows(house, paymentId)),
    )
    const [[one], [other]] = nonces as [(typeof nonces)[0], (typeof nonces)[0]]
    expect(other?.nonce).toBe((one?.nonce ?? 0) + 1)
  })
})

describe('an executor without gas', () => {
  test('sends nothing and reports it, and continues when gas arrives', async () => {
    const { chain, service } = treasury
    const [{ seq: afterSeq } = { seq: 0 }] = (
      await auditTrail(service.database, house.id)
    ).toReversed()
    await chain.request('hardhat_setBalance', house.executor, '0x0')
    const expense = await approved()
    await expect
      .poll(async () => (await auditTrail(service.database, house.id, { afterSeq })).map(actionOf))
      .toContain('executor.gas_low')
    const { payment, attempts } = await readPayment(house, expense.paymentId)
    expect([payment.state, attempts]).toEqual(['queued', []])
    await giveGas(house, house.executor)
    await expectPaidOnce(house, expense, before)
  })
})

const texts = (_name: string, value: unknown) =>
  typeof value === 'bigint' ? value.toString() : value

const actionOf = ({ action }: { action: string }) => action
