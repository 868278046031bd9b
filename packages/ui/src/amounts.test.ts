import { fc, test as property } from '@fast-check/vitest'
import { describe, expect, test } from 'vitest'
import { asDecimal, editableAmount, formatAmount, parseAmount } from './amounts.ts'

describe('an amount is shown', () => {
  test.each([
    ['75000000', 'en', '75.00'],
    ['1234567890000', 'en', '1,234,567.89'],
    ['1234567890000', 'de', '1.234.567,89'],
    ['1', 'en', '0.000001'],
    ['0', 'en', '0.00'],
    [
      '115792089237316195423570985008687907853269984665640564039457584007913129639935',
      'en',
      '115,792,089,237,316,195,423,570,985,008,687,907,853,269,984,665,640,564,039,457,584,007,913,129.639935',
    ],
  ])('%s in %s as %s', (baseUnits, locale, text) => {
    expect(formatAmount(baseUnits, 6, locale)).toBe(text)
  })
})

describe('a typed amount', () => {
  test.each([
    ['75', 'en', '75000000'],
    ['75.5', 'en', '75500000'],
    ['1,234.50', 'en', '1234500000'],
    ['1.234,50', 'de', '1234500000'],
    ['1 234.50', 'en', '1234500000'],
    ['1’234.50', 'de-CH', '1234500000'],
    ['1 234,50', 'de-AT', '1234500000'],
    ['1,23,456.50', 'en-IN', '123456500000'],
    ['0.000001', 'en', '1'],
    ['12.50000000', 'en', '12500000'],
  ])('%s (%s) is %s base units', (typed, locale, baseUnits) => {
    expect(parseAmount(typed, 6, locale)).toEqual({ ok: true, baseUnits })
  })

  test.each([
    ['', 'en', 'empty'],
    ['1.234', 'de', 'not_a_number'],
    ['1,234', 'en', 'not_a_number'],
    ['12.34.56', 'en', 'not_a_number'],
    ['1,23.50', 'en', 'not_a_number'],
    ['-5', 'en', 'not_a_number'],
    ['1e3', 'en', 'not_a_number'],
    ['0x10', 'en', 'not_a_number'],
    ['0.00', 'en', 'zero'],
    ['1.2345678', 'en', 'too_precise'],
  ])('%s (%s) is refused: %s', (typed, locale, problem) => {
    expect(parseAmount(typed, 6, locale)).toEqual({ ok: false, problem })
  })

  property.prop([
    fc.bigInt({ min: 1n, max: 2n ** 256n - 1n }),
    fc.constantFrom('en-US', 'de-DE', 'de-CH', 'en-IN'),
  ])('survives being shown for editing and read again', (value, locale) => {
    const text = editableAmount(value.toString(), 6, locale)
    expect(parseAmount(text, 6, locale)).toEqual({ ok: true, baseUnits: value.toString() })
  })
})

test('a negative amount keeps its sign', () => {
  expect(asDecimal(-1_500_000n, 6)).toBe('-1.500000')
})
