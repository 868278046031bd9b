import { fc, test as property } from '@fast-check/vitest'
import { describe, expect, test } from 'vitest'
import type { BlockCode } from '#platform/block-codes.ts'
import { expenseDetail, forOperators, oneLine, paymentDetail } from './task-text.ts'

const FAMILY = '👩‍👩‍👧'

describe('one line', () => {
  test('keeps what fits, up to the last code point', () => {
    expect(oneLine('😀'.repeat(240), 240)).toBe('😀'.repeat(240))
  })

  test('ends with an ellipsis when cut, at exactly the maximum length', () => {
    const cut = oneLine('😀'.repeat(241), 240)
    expect([...cut]).toHaveLength(240)
    expect(cut).toBe(`${'😀'.repeat(239)}…`)
  })

  test('has no line breaks, tabs or surrounding spaces', () => {
    expect(oneLine('  first\n\nsecond\r\n\tthird\u2028fourth  ', 240)).toBe(
      'first second third fourth',
    )
  })

  test('does not change the writing direction of adjacent text', () => {
    expect(oneLine('pay \u202eecila\u202c and \u2066bob\u2069', 240)).toBe('pay ecila and bob')
  })

  test('keeps combining marks and joined emoji', () => {
    expect(oneLine(`cafe\u0301 ${FAMILY} العربية`, 240)).toBe(`cafe\u0301 ${FAMILY} العربية`)
  })

  test('is never empty', () => {
    expect(oneLine(' \u202e\n', 240)).toBe('…')
  })

  property.prop([fc.string({ unit: 'binary', maxLength: 600 }), fc.integer({ min: 1, max: 500 })])(
    'of any text has 1 to max code points and no lone surrogate',
    (text, max) => {
      const line = oneLine(text, max)
      expect([...line].length).toBeGreaterThan(0)
      expect([...line].length).toBeLessThanOrEqual(max)
      expect(line.isWellFormed()).toBe(true)
      expect(line).not.toMatch(/[\n\r\u2028\u2029]/)
    },
  )
})

describe('a detail', () => {
  const expense = { blockCode: null, amount: 2n ** 128n - 1n, recipientLabel: 'x'.repeat(100) }

  test('names the amount and the recipient to those who see the expense', () => {
    const detail = expenseDetail({ ...expense, state: 'needs_review', recipientLabel: 'Acme' })
    const amount = '340282366920938463463374607431768.211455 USDC'
    expect(detail).toBe(`An owner or manager must review it. ${amount} to Acme.`)
  })

  test('states why it is blocked', () => {
    const blocked = { ...expense, state: 'blocked', blockCode: 'token_refused' } as const
    expect(expenseDetail(blocked)).toMatch(/^Blocked: token refused\. /)
  })

  test('stays within 500 code points', () => {
    const blocked = {
      ...expense,
      state: 'blocked',
      blockCode: 'x'.repeat(600) as BlockCode,
    } as const
    for (const detail of [
      expenseDetail(blocked),
      paymentDetail('blocked', 'x'.repeat(600)),
      forOperators('Blocked.', '😀'.repeat(600)),
    ]) {
      expect([...detail]).toHaveLength(500)
    }
  })
})
