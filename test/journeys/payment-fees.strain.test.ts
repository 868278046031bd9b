/**
 * Nodes that report absurd fees: nothing is signed at them, and payments continue when they fall.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { RpcCall, RpcProxy } from '#test/chain/rpc-proxy.ts'
import {
  attemptsInRows,
  ENGINE_PATH,
  type FaultyTreasury,
  FEE_CEILING,
  startFaultyTreasury,
  untilLooked,
} from '#test/support/faulty-nodes.ts'
import { expectPaidOnce, untilPayment } from '#test/support/paid-once.ts'
import {
  approve,
  awaitingApproval,
  openPayingHouse,
  type PayingHouse,
  type ReadExpense,
  tokenBalance,
} from '#test/support/payments.ts'

const ABSURD = `0x${(10_000n * 10n ** 9n).toString(16)}`

/** Pretends that every block of the last hours had a base fee of 10,000 gwei. */
function nameAbsurdFees(node: RpcProxy): void {
  node.tamper = ({ method, path }: RpcCall, result) => {
    if (path !== ENGINE_PATH) return result
    if (method === 'eth_maxPriorityFeePerGas' || method === 'eth_gasPrice') return ABSURD
    if (method === 'eth_getBlockByNumber' && result) return { ...result, baseFeePerGas: ABSURD }
    if (method !== 'eth_feeHistory' || !result) return result
    return { ...result, baseFeePerGas: result.baseFeePerGas.map(() => ABSURD) }
  }
}

const eventsOf = async ({ treasury, id }: PayingHouse): Promise<unknown[]> => {
  const rows = await treasury.service.database.asOwner<{ code: string; severity: string }>(
    `select code, severity from live_events
     where organization_id = $1 and kind = 'integration.changed' and code like 'network%'`,
    [id],
  )
  return rows
}

async function approved(house: PayingHouse): Promise<ReadExpense> {
  const expense = await awaitingApproval(house)
  expect((await approve(house, expense)).status).toBe(202)
  return expense
}

const highestFee = async (house: PayingHouse, { paymentId }: ReadExpense): Promise<bigint> => {
  const fees = (await attemptsInRows(house, paymentId)).map(({ fee }) => BigInt(fee))
  expect(fees.length).toBeGreaterThan(0)
  return fees.reduce((a, b) => (a > b ? a : b))
}

describe('absurd fees from the only node', () => {
  let treasury: FaultyTreasury
  let house: PayingHouse

  beforeAll(async () => {
    treasury = await startFaultyTreasury({ nodes: 1 })
    house = await openPayingHouse(treasury)
  })
  afterAll(() => treasury.stop())

  test('make a payment wait with an event, and it is paid once they have fallen', async () => {
    const before = await tokenBalance(house, house.recipient)
    nameAbsurdFees(treasury.node)
    const expense = await approved(house)
    await expect
      .poll(() => eventsOf(house), { timeout: 20_000 })
      .toEqual([{ code: 'network_fees_too_high', severity: 'degraded' }])
    await untilLooked(treasury.node, 1)
    const { payment } = await untilPayment(house, expense.paymentId, 'queued')
    expect(payment.blockCode).toBeNull()
    expect(await attemptsInRows(house, expense.paymentId)).toEqual([])
    treasury.node.heal()
    await expectPaidOnce(house, expense, before)
    expect(await highestFee(house, expense)).toBeLessThanOrEqual(FEE_CEILING)
    expect(await eventsOf(house)).toHaveLength(1)
  })
})

describe('absurd fees from one node of three', () => {
  let treasury: FaultyTreasury
  let house: PayingHouse

  beforeAll(async () => {
    treasury = await startFaultyTreasury({ nodes: 3 })
    house = await openPayingHouse(treasury)
  })
  afterAll(() => treasury.stop())

  test('neither raise the fee nor delay payments', async () => {
    const before = await tokenBalance(house, house.recipient)
    nameAbsurdFees(treasury.second)
    const expense = await approved(house)
    await expectPaidOnce(house, expense, before)
    expect(await highestFee(house, expense)).toBeLessThan(20n * 10n ** 9n)
    expect(await eventsOf(house)).toEqual([])
  })
})
