import { fc, test as property } from '@fast-check/vitest'
import { describe, expect, test } from 'vitest'
import { AppError } from '#platform/errors.ts'
import {
  APPROVERS_MAX,
  changesBetween,
  differencesFrom,
  type PolicyTerms,
  RECIPIENTS_MAX,
  remainingAllowance,
  requireConsistent,
  requirePossible,
  requireUnexpired,
} from './policy.ts'

const address = (n: number): string => `0x${n.toString(16).padStart(40, '0')}`
const NOW = new Date('2026-01-01T00:00:00.000Z')
const MOST = (1n << 128n) - 1n

const terms = (change: Partial<PolicyTerms> = {}): PolicyTerms => ({
  executorAddress: address(1),
  approverAddresses: [address(2)],
  recipientAddresses: [address(3)],
  approvedCap: 1000n,
  automaticCap: 100n,
  lifetimeCap: 5000n,
  reserveFloor: 0n,
  expiresAt: '2027-01-01T00:00:00.000Z',
  automaticEnabled: true,
  paused: false,
  ...change,
})

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
  const check = (change: Partial<PolicyTerms>, spentTotal = 0n) =>
    codeOf(() =>
      requirePossible(terms(change), {
        address: address(8),
        tokenAddress: address(9),
        spentTotal,
      }),
    )

  test.each<[string, Partial<PolicyTerms>, string]>([
    ['no recipient yet', { recipientAddresses: [] }, 'fine'],
    ['no approver', { approverAddresses: [] }, 'policy_violation'],
    ['the maximum number of approvers', { approverAddresses: many(APPROVERS_MAX) }, 'fine'],
    ['one approver more', { approverAddresses: many(APPROVERS_MAX + 1) }, 'policy_violation'],
    ['the maximum number of recipients', { recipientAddresses: many(RECIPIENTS_MAX) }, 'fine'],
    ['one recipient more', { recipientAddresses: many(RECIPIENTS_MAX + 1) }, 'policy_violation'],
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

describe('changesBetween', () => {
  const none = { added: [], removed: [] }

  test('reports no change for equal terms, whatever the order of the lists', () => {
    const lists = { recipientAddresses: [address(3), address(4)] }
    const turned = { recipientAddresses: [address(4), address(3)] }
    expect(changesBetween(terms(lists), terms(turned))).toEqual({
      recipients: none,
      approvers: none,
      executor: null,
      approvedCap: null,
      automaticCap: null,
      lifetimeCap: null,
      reserveFloor: null,
      expiresAt: null,
      automaticEnabled: null,
      paused: null,
    })
  })

  test('a first policy changes from null', () => {
    const changes = changesBetween(undefined, terms())
    expect(changes.recipients).toEqual({ added: [address(3)], removed: [] })
    expect(changes.executor).toEqual({ from: null, to: address(1) })
    expect(changes.paused).toEqual({ from: null, to: false })
    expect(changes.reserveFloor).toEqual({ from: null, to: '0' })
  })

  property.prop([
    fc.uniqueArray(fc.integer({ min: 1, max: 40 })),
    fc.uniqueArray(fc.integer({ min: 1, max: 40 })),
  ])('before, minus removed, plus added, is after', (before, after) => {
    const { recipients } = changesBetween(
      terms({ recipientAddresses: before.map(address) }),
      terms({ recipientAddresses: after.map(address) }),
    )
    const kept = before.map(address).filter((entry) => !lower(recipients.removed).includes(entry))
    expect([...kept, ...lower(recipients.added)].sort()).toEqual(after.map(address).sort())
    expect(recipients.added.filter((entry) => recipients.removed.includes(entry))).toEqual([])
  })
})

const lower = (list: string[]): string[] => list.map((entry) => entry.toLowerCase())

describe('remainingAllowance', () => {
  test('is what is left, and never below zero', () => {
    expect(remainingAllowance({ lifetimeCap: 100n, spentTotal: 30n, held: 20n })).toBe(50n)
    expect(remainingAllowance({ lifetimeCap: 100n, spentTotal: 100n, held: 0n })).toBe(0n)
    expect(remainingAllowance({ lifetimeCap: 100n, spentTotal: 90n, held: 20n })).toBe(0n)
  })
})

describe('the differences of a policy from its organization', () => {
  const organization = (change: Partial<PolicyTerms> = {}) => terms(change)

  test('are empty when the lists are equal, in any order', () => {
    const addresses = [address(3), address(4)]
    const policy = terms({ recipientAddresses: addresses })
    const own = organization({ recipientAddresses: addresses.toReversed() })
    expect(differencesFrom(policy, own)).toEqual({
      missingRecipients: [],
      extraRecipients: [],
      missingApprovers: [],
      extraApprovers: [],
      executorDiffers: false,
    })
  })

  test('are what is on one side only', () => {
    const own = organization({
      recipientAddresses: [address(5)],
      approverAddresses: [address(2), address(6)],
    })
    expect(differencesFrom(terms(), own)).toEqual({
      missingRecipients: [address(5)],
      extraRecipients: [address(3)],
      missingApprovers: [address(6)],
      extraApprovers: [],
      executorDiffers: false,
    })
  })

  test.each([[undefined], [address(9)]])('include the executor %s', (executorAddress) => {
    const own = { ...organization(), executorAddress }
    expect(differencesFrom(terms(), own).executorDiffers).toBe(true)
  })
})
