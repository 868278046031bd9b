import { expect, test } from 'vitest'
import { parseJsonTransaction } from './owner-call-input.ts'

const valueOf = (value: unknown) => parseJsonTransaction({ value }).transaction.value

test.each<[unknown, bigint]>([
  [0, 0n],
  [7, 7n],
  ['0', 0n],
  ['0x0F', 15n],
  [Number.MAX_SAFE_INTEGER, 9_007_199_254_740_991n],
])('a value of %s is read', (value, read) => {
  expect(valueOf(value)).toBe(read)
})

test.each([-1, 0.5, 2 ** 53, Number.NaN, '', '-1', '0x', '1e3', ' 1', null, true, {}])(
  'a value of %s is refused',
  (value) => {
    expect(() => valueOf(value)).toThrow('Its value is not a number.')
  },
)

test('no value is none, and no data is empty', () => {
  const { value, data, to, from, chainId } = parseJsonTransaction({}).transaction
  expect([value, data, to, from, chainId]).toEqual([0n, '0x', null, null, null])
})
