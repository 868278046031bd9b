import { parseAmount } from '@countersign/ui/amounts.ts'
import { expect, test } from 'vitest'
import { amountExample } from './amount-example.ts'

test.each([
  [6, 'en', '1234.50'],
  [6, 'de', '1234,50'],
  [6, 'de-CH', '1234.50'],
  [1, 'de', '1234,5'],
  [0, 'en', '1234'],
])('with %i decimals in %s it is %s, which the field accepts', (decimals, region, text) => {
  const example = amountExample(decimals, region)
  expect(example).toBe(text)
  expect(parseAmount(example, decimals, region).ok).toBe(true)
})
