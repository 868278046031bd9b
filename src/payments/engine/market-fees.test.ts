import { fc, test as property } from '@fast-check/vitest'
import { describe, expect, test } from 'vitest'
import { marketFees, type NodeFees } from './market-fees.ts'

const GWEI = 1_000_000_000n
const limits = { quorum: 2, ceiling: 500n * GWEI }

const naming = (gwei: bigint, recentGwei: bigint | null = 30n): NodeFees => ({
  fees: { maxFeePerGas: gwei * GWEI, maxPriorityFeePerGas: 2n * GWEI },
  recentFee: recentGwei === null ? null : recentGwei * GWEI,
})
const feeOf = (nodes: NodeFees[], given = limits): bigint | string => {
  const market = marketFees(nodes, given)
  return market.outcome === 'known' ? market.fees.maxFeePerGas / GWEI : market.outcome
}

describe('the fee of several nodes', () => {
  test('is their median, so that one dishonest node of three has no effect', () => {
    expect(feeOf([naming(60n), naming(62n), naming(10_000n)])).toBe(62n)
    expect(feeOf([naming(60n), naming(62n), naming(1n)])).toBe(60n)
    expect(feeOf([naming(60n), naming(61n), naming(62n), naming(10_000n)])).toBe(61n)
  })

  test('is the lower of two that are similar', () => {
    expect(feeOf([naming(60n), naming(120n)])).toBe(60n)
  })

  test.each([
    ['two that differ by more than a factor of two', [60n, 121n]],
    ['three that all differ', [1n, 100n, 10_000n]],
  ])('is unknown for %s', (_what, fees) => {
    expect(feeOf(fees.map((fee) => naming(fee)))).toBe('disagree')
  })

  test('has the median tip, never above the whole fee', () => {
    const tips = [1n, 2n, 400n].map((tip) => ({
      fees: { maxFeePerGas: 60n, maxPriorityFeePerGas: tip },
      recentFee: null,
    }))
    expect(marketFees(tips, limits)).toMatchObject({ fees: { maxPriorityFeePerGas: 2n } })
    const odd = [{ fees: { maxFeePerGas: 5n, maxPriorityFeePerGas: 9n }, recentFee: null }]
    expect(marketFees(odd, { ...limits, quorum: 1 })).toMatchObject({
      fees: { maxFeePerGas: 5n, maxPriorityFeePerGas: 5n },
    })
  })
})

describe('the ceiling', () => {
  const alone = { ...limits, quorum: 1 }

  test('is ten times the median of recent blocks, and never above the configured one', () => {
    const ceiling = (...recent: (bigint | null)[]) =>
      marketFees(
        recent.map((gwei) => naming(60n, gwei)),
        limits,
      ).ceiling / GWEI
    expect(ceiling(30n, 30n)).toBe(300n)
    expect(ceiling(30n, 40n, 9_000n)).toBe(400n)
    expect(ceiling(60n, 60n)).toBe(500n)
    expect(ceiling(null, null)).toBe(500n)
  })

  test('is ten gwei where recent blocks cost almost nothing', () => {
    expect(feeOf([naming(9n, 0n)], alone)).toBe(9n)
  })

  test('refuses a fee of 10,000 gwei from a single node', () => {
    expect(feeOf([naming(10_000n)], alone)).toBe('above_ceiling')
    expect(feeOf([naming(10_000n, 10_000n)], alone)).toBe('above_ceiling')
    expect(feeOf([naming(10_000n, null)], alone)).toBe('above_ceiling')
  })

  test('caps a fee whose allowance for a rising base fee exceeds it', () => {
    expect(feeOf([naming(900n, 400n)], alone)).toBe(500n)
    expect(feeOf([naming(1_000n, 400n)], alone)).toBe('above_ceiling')
  })

  property.prop([
    fc.array(
      fc.record({
        fees: fc.record({
          maxFeePerGas: fc.bigInt(0n, 10n ** 15n),
          maxPriorityFeePerGas: fc.bigInt(0n, 10n ** 15n),
        }),
        recentFee: fc.option(fc.bigInt(0n, 10n ** 15n)),
      }),
      { minLength: 1, maxLength: 7 },
    ),
    fc.bigInt(1n, 10n ** 13n),
  ])('is never exceeded, whatever nodes say', (nodes, ceiling) => {
    const market = marketFees(nodes, { quorum: Math.min(2, nodes.length), ceiling })
    expect(market.ceiling).toBeLessThanOrEqual(ceiling)
    if (market.outcome !== 'known') return
    expect(market.fees.maxFeePerGas).toBeLessThanOrEqual(market.ceiling)
    expect(market.fees.maxPriorityFeePerGas).toBeLessThanOrEqual(market.fees.maxFeePerGas)
  })
})
