import { fc, test as property } from '@fast-check/vitest'
import { describe, expect, test } from 'vitest'
import { DAY, makeFacts, past, USDC } from '#test/support/facts.ts'
import type { CheckId } from './check.ts'
import { historyChecks, median, usualUpTo } from './history-checks.ts'

type Change = Parameters<typeof makeFacts>[0]

const resultOf = (id: CheckId, change: Change = {}) =>
  historyChecks.map((check) => check(makeFacts(change))).find((result) => result.id === id)
const outcomeOf = (id: CheckId, change: Change) => resultOf(id, change)?.outcome

describe.each([
  ['duplicate_payment', 'sameRecipientAndAmount'],
  ['duplicate_purpose', 'samePurpose'],
] as const)('%s', (id, field) => {
  const repeated = (...seconds: number[]) => ({ history: { [field]: seconds.map((s) => past(s)) } })

  test('passes without a similar expense', () => {
    expect(outcomeOf(id, {})).toBe('pass')
  })

  test('warns at exactly 30 days and passes a second earlier', () => {
    expect(outcomeOf(id, repeated(30 * DAY))).toBe('warn')
    expect(outcomeOf(id, repeated(30 * DAY + 1))).toBe('pass')
    expect(outcomeOf(id, repeated(0))).toBe('warn')
  })

  test('states the number and the day of the newest', () => {
    const { detail } = resultOf(id, repeated(DAY, 2 * DAY, 31 * DAY)) ?? {}
    expect(detail).toContain('At least 2 other expenses have')
    expect(detail).toContain('the newest of 2026-06-14')
  })
})

describe('split_payment', () => {
  const split = (
    amount: bigint,
    others: bigint[],
    mode: 'automatic' | 'approved' = 'automatic',
  ) => ({
    expense: { amount, requestedMode: mode },
    history: { sameRecipientLately: others.map((other) => past(DAY, other)) },
  })

  test.each<[string, bigint, bigint[], string]>([
    ['alone at the cap', 100n * USDC, [], 'pass'],
    ['80 % and with another just over the cap', 80n * USDC, [20n * USDC + 1n], 'warn'],
    ['80 % and with another exactly at the cap', 80n * USDC, [20n * USDC], 'pass'],
    ['one unit below 80 %', 80n * USDC - 1n, [99n * USDC], 'pass'],
    ['at the cap with one unit more', 100n * USDC, [1n], 'warn'],
    ['over the cap, which another check reports', 100n * USDC + 1n, [99n * USDC], 'pass'],
    ['several small ones', 90n * USDC, [4n * USDC, 4n * USDC, 4n * USDC], 'warn'],
  ])('%s', (_name, amount, others, outcome) => {
    expect(outcomeOf('split_payment', split(amount, others))).toBe(outcome)
  })

  test('uses the cap of the requested mode', () => {
    expect(outcomeOf('split_payment', split(90n * USDC, [90n * USDC], 'approved'))).toBe('pass')
    expect(outcomeOf('split_payment', split(900n * USDC, [200n * USDC], 'approved'))).toBe('warn')
  })

  test('includes exactly 7 days and not a second more', () => {
    const other = (seconds: number) => ({
      expense: { amount: 90n * USDC },
      history: { sameRecipientLately: [past(seconds, 90n * USDC)] },
    })
    expect(outcomeOf('split_payment', other(7 * DAY))).toBe('warn')
    expect(outcomeOf('split_payment', other(7 * DAY + 1))).toBe('pass')
  })

  test('states the sum', () => {
    expect(resultOf('split_payment', split(90n * USDC, [20n * USDC]))?.detail).toBe(
      '90.00 USDC is just below the automatic cap of 100.00 USDC, and with 1 other expense to ' +
        'the same recipient in 7 days it comes to 110.00 USDC.',
    )
  })

  describe('with tiers', () => {
    const tiers = [
      { above: 200n * USDC, approvals: 2 },
      { above: 500n * USDC, approvals: 3 },
    ]
    const tiered = (amount: bigint, others: bigint[]) => ({
      ...split(amount, others, 'approved'),
      policy: { tiers },
    })

    test.each<[string, bigint, bigint[], string]>([
      ['at the first tier with one unit more', 200n * USDC, [1n], 'warn'],
      ['80 % of the first tier and just over it', 160n * USDC, [40n * USDC + 1n], 'warn'],
      ['80 % of the first tier and exactly at it', 160n * USDC, [40n * USDC], 'pass'],
      ['one unit below 80 % of the first tier', 160n * USDC - 1n, [90n * USDC], 'pass'],
      ['between the tiers', 300n * USDC, [900n * USDC], 'pass'],
      ['just below the second tier', 450n * USDC, [100n * USDC], 'warn'],
    ])('%s', (_name, amount, others, outcome) => {
      expect(outcomeOf('split_payment', tiered(amount, others))).toBe(outcome)
    })

    test('names the number of approvers that the split avoids', () => {
      expect(resultOf('split_payment', tiered(190n * USDC, [20n * USDC]))?.detail).toBe(
        '190.00 USDC is just below the limit of 200.00 USDC, above which 2 approvers must sign, ' +
          'and with 1 other expense to the same recipient in 7 days it comes to 210.00 USDC.',
      )
    })
  })

  test('passes without a policy, because there is no cap', () => {
    const change = { ...split(90n * USDC, [90n * USDC]), policy: null }
    expect(outcomeOf('split_payment', change)).toBe('pass')
  })
})

describe('median', () => {
  test.each<[bigint[], bigint]>([
    [[5n], 5n],
    [[1n, 2n], 1n],
    [[9n, 1n, 5n], 5n],
    [[4n, 1n, 3n, 2n], 2n],
    [[10n, 2n, 1n << 200n], 10n],
  ])('of %o is %o', (amounts, middle) => expect(median(amounts)).toBe(middle))

  property.prop([fc.array(fc.bigInt({ min: 0n, max: 1n << 128n }), { minLength: 1 })])(
    'has at most half of the amounts on each side',
    (amounts) => {
      const middle = median(amounts)
      expect(amounts.filter((amount) => amount < middle).length * 2).toBeLessThanOrEqual(
        amounts.length,
      )
      expect(amounts.filter((amount) => amount > middle).length * 2).toBeLessThanOrEqual(
        amounts.length + 1,
      )
    },
  )
})

describe.each([
  ['unusual_for_recipient', 'recipientAmounts'],
  ['unusual_for_submitter', 'submitterAmounts'],
] as const)('%s', (id, field) => {
  const among = (amount: bigint, amounts: bigint[]) => ({
    expense: { amount },
    history: { [field]: amounts },
  })
  const fixed = [1000n, 1000n, 1000n, 1000n, 1000n]
  const spread = [800n, 900n, 1000n, 1200n, 1300n]

  test.each<[string, bigint, bigint[], string]>([
    ['half as much again as a fixed fee', 1500n, fixed, 'pass'],
    ['one unit more', 1501n, fixed, 'warn'],
    ['5 deviations above the median', 2000n, spread, 'pass'],
    ['one unit more than that', 2001n, spread, 'warn'],
    ['much less than usual', 1n, spread, 'pass'],
    ['four amounts are too few to compare', 1_000_000n, fixed.slice(1), 'pass'],
    ['nothing to compare', 1_000_000n, [], 'pass'],
    ['one odd amount does not move the limit', 1501n, [...fixed, 10n ** 30n], 'warn'],
  ])('%s', (_name, amount, amounts, outcome) => {
    expect(outcomeOf(id, among(amount, amounts))).toBe(outcome)
  })

  test('states the median and the limit', () => {
    expect(resultOf(id, among(2001n, spread))?.detail).toMatch(
      /^0.002001 USDC .* the median of 5 earlier amounts .* is 0.001 USDC, .* up to 0.002 USDC/,
    )
  })
})

property.prop([fc.array(fc.bigInt({ min: 0n, max: 1n << 128n }), { minLength: 5 })])(
  'the usual limit is never below the median, and the input is not reordered',
  (amounts) => {
    const before = [...amounts]
    expect(usualUpTo(amounts) >= median(amounts)).toBe(true)
    expect(amounts).toEqual(before)
  },
)

describe('velocity', () => {
  test.each([
    [0, 'pass'],
    [9, 'pass'],
    [10, 'warn'],
    [49, 'warn'],
    [50, 'fail'],
  ])('with %i others in 24 hours gives %s', (count, outcome) => {
    const submitterLastDay = { count, total: 5n }
    expect(outcomeOf('velocity', { history: { submitterLastDay } })).toBe(outcome)
  })

  test('states number and total, including this expense', () => {
    const submitterLastDay = { count: 10, total: 180n * USDC }
    expect(resultOf('velocity', { history: { submitterLastDay } })?.detail).toBe(
      'The submitter has now submitted 11 expenses of 200.00 USDC in 24 hours, more than 10.',
    )
  })
})
