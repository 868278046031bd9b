import { describe, expect, test } from 'vitest'
import { AppError } from '#platform/errors.ts'
import {
  APPROVERS_MAX,
  type PolicyTerms,
  remainingAllowance,
  requireConsistent,
  requirePossible,
  requireUnexpired,
} from './policy.ts'
import { NO_LIMITS } from './policy-limits.ts'

const address = (n: number): string => `0x${n.toString(16).padStart(40, '0')}`
const NOW = new Date('2026-01-01T00:00:00.000Z')
const MOST = (1n << 128n) - 1n

const terms = (change: Partial<PolicyTerms> = {}): PolicyTerms => ({
  executorAddress: address(1),
  approverAddresses: [address(2)],
  ...NO_LIMITS,
  approvedCap: 1000n,
  automaticCap: 100n,
  lifetimeCap: 5000n,
  reserveFloor: 0n,
  expiresAt: '2027-01-01T00:00:00.000Z',
  automaticEnabled: true,
  paused: false,
  ...change,
})

const PERIOD = { periodSeconds: 86_400, periodCap: 100n, automaticPeriodCap: 50n }

const codeOf = (work: () => void): string => {
  try {
    work()
  } catch (error) {
    expect(error).toBeInstanceOf(AppError)
    return (error as AppError).code
  }
  return 'fine'
}

describe('terms that no contract accepts', () => {
  const check = (change: Partial<PolicyTerms>) =>
    codeOf(() => {
      requireConsistent(terms(change))
      requireUnexpired(terms(change), NOW)
    })

  test.each<[string, Partial<PolicyTerms>, string]>([
    ['usual terms', {}, 'fine'],
    ['all caps equal', { automaticCap: 5000n, approvedCap: 5000n }, 'fine'],
    ['all caps zero', { automaticCap: 0n, approvedCap: 0n, lifetimeCap: 0n }, 'fine'],
    ['the largest caps', { lifetimeCap: MOST, approvedCap: MOST, reserveFloor: MOST }, 'fine'],
    ['a floor above every cap', { reserveFloor: 10_000n }, 'fine'],
    ['automatic above approved', { automaticCap: 1001n }, 'validation_failed'],
    ['approved above lifetime', { approvedCap: 5001n }, 'validation_failed'],
    ['a lifetime cap too large', { lifetimeCap: MOST + 1n }, 'validation_failed'],
    ['a floor too large', { reserveFloor: MOST + 1n }, 'validation_failed'],
    ['a period cap too large', { ...PERIOD, periodCap: MOST + 1n }, 'validation_failed'],
    ['a tier too large', { tiers: [{ above: MOST + 1n, approvals: 2 }] }, 'validation_failed'],
    ['more automatic than the period allows', { ...PERIOD, periodCap: 49n }, 'validation_failed'],
    ['an expiry now', { expiresAt: NOW.toISOString() }, 'validation_failed'],
    ['an expiry a second ago', { expiresAt: '2025-12-31T23:59:59.000Z' }, 'validation_failed'],
    ['an expiry in a second', { expiresAt: '2026-01-01T00:00:01.000Z' }, 'fine'],
  ])('%s', (_name, change, code) => {
    expect(check(change)).toBe(code)
  })
})

describe('terms that the organization does not allow now', () => {
  const many = (count: number, from = 100) =>
    Array.from({ length: count }, (_, n) => address(from + n))
  type Possible = PolicyTerms & { recipientAddresses: string[] }
  const check = (change: Partial<Possible>, spentTotal = 0n) =>
    codeOf(() =>
      requirePossible(
        { ...terms(), recipientAddresses: [address(3)], ...change },
        {
          address: address(8),
          tokenAddress: address(9),
          spentTotal,
        },
      ),
    )

  test.each<[string, Partial<Possible>, string]>([
    ['no recipient yet', { recipientAddresses: [] }, 'fine'],
    ['no approver', { approverAddresses: [] }, 'policy_violation'],
    ['the maximum number of approvers', { approverAddresses: many(APPROVERS_MAX) }, 'fine'],
    ['one approver more', { approverAddresses: many(APPROVERS_MAX + 1) }, 'policy_violation'],
    ['any number of recipients', { recipientAddresses: many(5_000) }, 'fine'],
    ['an approver as recipient', { recipientAddresses: [address(2)] }, 'policy_violation'],
    ['the executor as approver', { approverAddresses: [address(1)] }, 'policy_violation'],
    ['the executor as recipient', { recipientAddresses: [address(1)] }, 'policy_violation'],
    ['the vault as recipient', { recipientAddresses: [address(8)] }, 'policy_violation'],
    ['the vault as approver', { approverAddresses: [address(8)] }, 'policy_violation'],
    ['the token as recipient', { recipientAddresses: [address(9)] }, 'policy_violation'],
    ['the token as approver', { approverAddresses: [address(9)] }, 'policy_violation'],
  ])('%s', (_name, change, code) => {
    expect(check(change)).toBe(code)
  })

  test('rejects a lifetime cap below the spent total', () => {
    expect(check({ lifetimeCap: 4999n }, 5000n)).toBe('policy_violation')
    expect(check({ lifetimeCap: 5000n }, 5000n)).toBe('fine')
  })
})

describe('remainingAllowance', () => {
  test('is what is left, and never below zero', () => {
    expect(remainingAllowance({ lifetimeCap: 100n, spentTotal: 30n, held: 20n })).toBe(50n)
    expect(remainingAllowance({ lifetimeCap: 100n, spentTotal: 100n, held: 0n })).toBe(0n)
    expect(remainingAllowance({ lifetimeCap: 100n, spentTotal: 90n, held: 20n })).toBe(0n)
  })
})
