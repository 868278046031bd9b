import { fc, test as property } from '@fast-check/vitest'
import { describe, expect, test } from 'vitest'
import type { AppError } from '#platform/errors.ts'
import { RECIPIENT_CHANGES_MAX, recipientsStep, requireAddable } from './recipients-step.ts'

const address = (n: number): string => `0x${n.toString(16).padStart(40, '0')}`
const many = (count: number, from = 1) => Array.from({ length: count }, (_, n) => address(from + n))
const listed = (addresses: readonly string[]) =>
  addresses.map((one) => ({ address: one, allowedFrom: '2026-01-01T00:00:00.000Z' }))

describe('what one transaction changes', () => {
  test('is what the organization has and the vault lacks, and the other way round', () => {
    expect(recipientsStep(listed(many(3)), [address(3), address(9)])).toEqual({
      added: [address(9)],
      removed: [address(1), address(2)],
      after: [address(3), address(9)],
      remaining: 0,
    })
  })

  test('adds an address that is blocked but not listed', () => {
    const standings = [{ address: address(1), allowedFrom: null }]
    expect(recipientsStep(standings, [address(1)]).added).toEqual([address(1)])
  })

  test('is at most what the contract takes, and says how much is left', () => {
    const { added, after, remaining } = recipientsStep([], many(1_201))
    expect(added).toEqual(many(RECIPIENT_CHANGES_MAX))
    expect(after).toEqual(added)
    expect(remaining).toBe(701)
  })

  test('removes first', () => {
    const before = many(499)
    const step = recipientsStep(listed(before), many(10, 1_000))
    expect(step.removed).toEqual(before)
    expect(step.added).toEqual([address(1_000)])
    expect(step.after).toEqual([address(1_000)])
    expect(step.remaining).toBe(9)
  })

  property.prop([
    fc.uniqueArray(fc.integer({ min: 1, max: 1_500 }), { maxLength: 1_200 }),
    fc.uniqueArray(fc.integer({ min: 1, max: 1_500 }), { maxLength: 1_200 }),
  ])('step by step the vault gets the list of the organization', (from, to) => {
    const wanted = to.map(address)
    let list = from.map(address)
    for (let n = 0; n < 10; n += 1) {
      const step = recipientsStep(listed(list), wanted)
      expect(step.added.length + step.removed.length).toBeLessThanOrEqual(RECIPIENT_CHANGES_MAX)
      expect(step.removed.every((one) => list.includes(one))).toBe(true)
      expect(step.added.some((one) => list.includes(one))).toBe(false)
      list = step.after
      if (step.remaining === 0) break
    }
    expect([...list].sort()).toEqual([...wanted].sort())
  })
})

describe('with a change delay', () => {
  const inForce = { executorAddress: address(1), approverAddresses: [address(2)] }
  const check = (added: string[], changeDelaySeconds: number, policy = true) => {
    try {
      const step = { added, removed: [], after: added, remaining: 0 }
      const vault = { changeDelaySeconds }
      requireAddable(step, { vault, inForce: policy ? inForce : undefined })
    } catch (error) {
      return (error as AppError).code
    }
    return 'fine'
  }

  test('nobody is added who has a role in the policy in force', () => {
    expect(check([address(1)], 3600)).toBe('policy_violation')
    expect(check([address(3), address(2)], 3600)).toBe('policy_violation')
    expect(check([address(3)], 3600)).toBe('fine')
  })

  test('the policy of the same transaction decides where there is no delay or no policy', () => {
    expect(check([address(2)], 0)).toBe('fine')
    expect(check([address(2)], 3600, false)).toBe('fine')
  })
})
