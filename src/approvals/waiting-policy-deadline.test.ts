import { describe, expect, test } from 'vitest'
import { toDate } from '#platform/clock.ts'
import { deadlineOf } from './approval-deadline.ts'

const NOW = toDate('2026-03-01T12:00:00Z')
const question = {
  now: NOW,
  policyExpiresAt: '2027-01-01T00:00:00.000Z',
  replacedFrom: null,
  deadlineSeconds: undefined,
  isShared: false,
  fixed: undefined,
}
const refusalOf = (work: () => unknown): string => {
  try {
    work()
  } catch (error) {
    return String((error as Error).message)
  }
  return 'accepted'
}

describe('while a policy waits', () => {
  const soon = '2026-03-01T12:30:00.000Z'

  test('the default deadline ends when the policy can come into force', () => {
    expect(deadlineOf({ ...question, replacedFrom: soon })).toBe(soon)
  })

  test('the default stays what it is where it ends earlier', () => {
    const replacedFrom = '2026-03-03T00:00:00.000Z'
    expect(deadlineOf({ ...question, replacedFrom })).toBe(deadlineOf(question))
  })

  test('a requested deadline may be exactly then, and is refused a second later', () => {
    const asked = { ...question, replacedFrom: soon }
    expect(deadlineOf({ ...asked, deadlineSeconds: 1_800 })).toBe(soon)
    expect(refusalOf(() => deadlineOf({ ...asked, deadlineSeconds: 1_801 }))).toBe(
      `A new policy comes into force at ${soon}. Choose an earlier deadline.`,
    )
  })

  test.each([
    ['in 61 seconds', '2026-03-01T12:01:01.000Z', false, 'accepted'],
    ['in 58 seconds', '2026-03-01T12:00:58.000Z', false, 'less than a minute'],
    ['since a minute ago', '2026-03-01T11:59:00.000Z', false, 'less than a minute'],
    ['in an hour, for several signers', '2026-03-01T13:00:00.000Z', true, 'accepted'],
    ['in 30 minutes, for several signers', soon, true, 'less than an hour'],
  ])('that comes into force %s: %s', (_name, replacedFrom, isShared, expected) => {
    const refusal = refusalOf(() => deadlineOf({ ...question, replacedFrom, isShared }))
    expect(refusal).toContain(expected)
  })

  test('the policy that expires first sets the limit', () => {
    const policyExpiresAt = '2026-03-01T12:10:00.000Z'
    expect(deadlineOf({ ...question, policyExpiresAt, replacedFrom: soon })).toBe(policyExpiresAt)
  })

  test('a deadline that others share is kept, because their signatures name it', () => {
    const fixed = '2026-03-02T00:00:00.000Z'
    expect(deadlineOf({ ...question, replacedFrom: soon, isShared: true, fixed })).toBe(fixed)
  })
})
