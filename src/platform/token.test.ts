import { expect, test } from 'vitest'
import { GAS_DECIMALS, TOKEN_DECIMALS, toDecimal } from './token.ts'

test.each([
  [0n, '0.00'],
  [1n, '0.000001'],
  [10_000n, '0.01'],
  [25_000_000n, '25.00'],
  [25_500_000n, '25.50'],
  [25_123_456n, '25.123456'],
  [-25_000_000n, '-25.00'],
  [-1n, '-0.000001'],
  [(1n << 128n) - 1n, '340282366920938463463374607431768.211455'],
])('%s base units are %s', (amount, decimal) => {
  expect(toDecimal(amount, TOKEN_DECIMALS)).toBe(decimal)
})

test('wei are exact to the last digit', () => {
  expect(toDecimal(21_000n * 1_000_000_007n, GAS_DECIMALS)).toBe('0.000021000000147')
})
