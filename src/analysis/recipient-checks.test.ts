import { describe, expect, test } from 'vitest'
import { address, ago, DAY, makeFacts } from '#test/support/facts.ts'
import type { CheckId } from './check.ts'
import { recipientChecks } from './recipient-checks.ts'

type Change = Parameters<typeof makeFacts>[0]

const resultOf = (id: CheckId, change: Change = {}) =>
  recipientChecks.map((check) => check(makeFacts(change))).find((result) => result.id === id)

test('a deactivated recipient fails, an active one passes', () => {
  expect(resultOf('recipient_active')?.outcome).toBe('pass')
  expect(resultOf('recipient_active', { recipient: { isActive: false } })?.outcome).toBe('fail')
})

describe('informational checks', () => {
  test.each<[number, string]>([
    [0, '0 days ago'],
    [DAY - 1, '0 days ago'],
    [DAY, '1 day ago'],
    [30 * DAY, '30 days ago'],
    [-5, '0 days ago'],
  ])('state that a recipient known for %i seconds was added %s', (seconds, words) => {
    const result = resultOf('recipient_known', { recipient: { addedAt: ago(seconds) } })
    expect(result?.outcome).toBe('pass')
    expect(result?.detail).toContain(words)
    expect(result?.detail).toContain(ago(seconds).slice(0, 10))
  })

  test.each<[number, string]>([
    [0, 'This would be the first payment to the recipient: 0 have reached it so far.'],
    [1, '1 payment has reached the recipient so far.'],
    [7, '7 payments have reached the recipient so far.'],
    [100, 'At least 100 payments have reached the recipient so far.'],
  ])('state %i earlier payments', (paidBefore, detail) => {
    expect(resultOf('first_payment', { recipient: { paidBefore } })).toEqual({
      id: 'first_payment',
      outcome: 'pass',
      detail,
    })
  })

  test.each([
    ['submitter', "the submitter's own wallet"],
    ['member', 'another member'],
    ['nobody', "no member's wallet"],
  ] as const)('state that the wallet belongs to %s', (belongsTo, words) => {
    const result = resultOf('own_wallet', { recipient: { belongsTo } })
    expect(result?.outcome).toBe('pass')
    expect(result?.detail).toContain(words)
  })
})

describe('look-alike addresses', () => {
  const others = (count: number) =>
    Array.from({ length: count }, (_, n) => ({ label: `Acme ${n}`, address: address(16 + n) }))

  test('passes without any', () => {
    expect(resultOf('look_alike')?.outcome).toBe('pass')
  })

  test('fails and names one', () => {
    const result = resultOf('look_alike', { lookAlikes: others(1) })
    expect(result?.outcome).toBe('fail')
    expect(result?.detail).toContain('like 1 other recipient: ')
    expect(result?.detail).toContain('0x0000000000000000000000000000000000000010 ("Acme 0")')
  })

  test('counts many and names three', () => {
    const detail = resultOf('look_alike', { lookAlikes: others(5) })?.detail
    expect(detail).toContain('("Acme 2"), 2 more;')
    expect(detail).not.toContain('Acme 3')
  })
})
