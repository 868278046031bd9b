import { describe, expect, test } from 'vitest'
import { toReceipt } from './read-payments.ts'

const receipt = {
  ...{ transactionHash: '0x01', blockNumber: 10, blockHash: '0x02', status: 'success' as const },
  ...{ gasUsed: 21_000n, effectiveGasPrice: 3n, confirmedAt: '2026-05-01T12:00:00.000Z' },
}

describe('a receipt', () => {
  test.each([
    [10, 1],
    [11, 2],
    [15, 6],
    // The follower may be behind the worker that found the receipt.
    [9, 1],
    [0, 1],
  ])('of block 10 with the follower at %i has %i confirmations', (head, confirmations) => {
    expect(toReceipt(receipt, head).confirmations).toBe(confirmations)
  })

  test('shows gas in decimal, and null where a provider reported none', () => {
    expect(toReceipt(receipt, 10)).toMatchObject({ gasUsed: '21000', effectiveGasPrice: '3' })
    const unknown = { ...receipt, gasUsed: null, effectiveGasPrice: null }
    expect(toReceipt(unknown, 10)).toMatchObject({ gasUsed: null, effectiveGasPrice: null })
  })
})
