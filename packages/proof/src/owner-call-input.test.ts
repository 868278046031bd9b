import { expect, test } from 'vitest'
import { parseJsonTransaction } from './owner-call-input.ts'

const readValue = (value: unknown) => parseJsonTransaction({ value }).transaction.value

test.each<[unknown, bigint]>([
  [0, 0n],
  [7, 7n],
  ['0', 0n],
  ['0x0F', 15n],
  [Number.MAX_SAFE_INTEGER, 9_007_199_254_740_991n],
])('a value of %s is read', (value, read) => {
  expect(readValue(value)).toBe(read)
})

test.each([-1, 0.5, 2 ** 53, Number.NaN, '', '-1', '0x', '1e3', ' 1', null, true, {}])(
  'a value of %s is refused',
  (value) => {
    expect(() => readValue(value)).toThrow('Its value is not a number.')
  },
)

test('no value is none, and no data is empty', () => {
  const { value, data, to, from, chainId } = parseJsonTransaction({}).transaction
  expect([value, data, to, from, chainId]).toEqual([0n, '0x', null, null, null])
})

test.each(['0x0', '0x1', '0x2', 'legacy', 'eip2930', 'eip1559'])('type %s is read', (type) => {
  expect(parseJsonTransaction({ type }).transaction.value).toBe(0n)
})

test.each(['0x3', '0x4', 'eip4844', 'eip7702'])('type %s is refused', (type) => {
  expect(() => parseJsonTransaction({ type })).toThrow(`It is of type ${type}`)
})
