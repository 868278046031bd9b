import { checksummed } from '@countersign/proof/values.ts'
import { fc, test as property } from '@fast-check/vitest'
import { describe, expect, test } from 'vitest'
import type { PolicyTerms } from './policy.ts'
import { changesBetween, changesPolicy, differencesFrom, listChange } from './policy-changes.ts'
import { NO_LIMITS } from './policy-limits.ts'

const address = (n: number): string => `0x${n.toString(16).padStart(40, '0')}`

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

const none = { added: [], removed: [] }
const PERIOD = { periodSeconds: 86_400, periodCap: 900n, automaticPeriodCap: 300n }
const TIERS = [{ above: 100n, approvals: 2 }]

describe('changesBetween', () => {
  test('reports no change for equal terms, whatever the order of the lists', () => {
    const lists = { approverAddresses: [address(3), address(4)] }
    const turned = { approverAddresses: [address(4), address(3)] }
    const changes = changesBetween(terms(lists), terms(turned), none)
    expect(changes).toEqual({
      recipients: none,
      approvers: none,
      executor: null,
      approvedCap: null,
      automaticCap: null,
      lifetimeCap: null,
      reserveFloor: null,
      periodSeconds: null,
      periodCap: null,
      automaticPeriodCap: null,
      tiers: null,
      expiresAt: null,
      automaticEnabled: null,
      paused: null,
    })
    expect(changesPolicy(changes)).toBe(false)
  })

  test('a first policy changes from null, and what is off does not change', () => {
    const changes = changesBetween(undefined, terms(), { added: [address(3)], removed: [] })
    expect(changes.recipients).toEqual({ added: [address(3)], removed: [] })
    expect(changes.executor).toEqual({ from: null, to: address(1) })
    expect(changes.paused).toEqual({ from: null, to: false })
    expect(changes.reserveFloor).toEqual({ from: null, to: '0' })
    const { periodSeconds, periodCap, automaticPeriodCap, tiers } = changes
    expect([periodSeconds, periodCap, automaticPeriodCap, tiers]).toEqual([null, null, null, null])
  })

  test('a period that is turned on, changed or turned off is shown with its caps', () => {
    const shown = (before: PolicyTerms, after: PolicyTerms) => {
      const { periodSeconds, periodCap, automaticPeriodCap } = changesBetween(before, after, none)
      return [periodSeconds, periodCap, automaticPeriodCap]
    }
    expect(shown(terms(), terms(PERIOD))).toEqual([
      { from: null, to: 86_400 },
      { from: null, to: '900' },
      { from: null, to: '300' },
    ])
    expect(shown(terms(PERIOD), terms({ ...PERIOD, periodCap: 901n }))).toEqual([
      null,
      { from: '900', to: '901' },
      null,
    ])
    expect(shown(terms(PERIOD), terms())).toEqual([
      { from: 86_400, to: null },
      { from: '900', to: null },
      { from: '300', to: null },
    ])
  })

  test('tiers are shown whole, and null where there are none', () => {
    const tiers = (before: PolicyTerms, after: PolicyTerms) =>
      changesBetween(before, after, none).tiers
    const more = [...TIERS, { above: 500n, approvals: 3 }]
    expect(tiers(terms(), terms({ tiers: TIERS }))).toEqual({
      from: null,
      to: [{ above: '100', approvals: 2 }],
    })
    expect(tiers(terms({ tiers: more }), terms({ tiers: TIERS }))).toEqual({
      from: [
        { above: '100', approvals: 2 },
        { above: '500', approvals: 3 },
      ],
      to: [{ above: '100', approvals: 2 }],
    })
    expect(tiers(terms({ tiers: TIERS }), terms())?.to).toBeNull()
    expect(tiers(terms({ tiers: TIERS }), terms({ tiers: [...TIERS] }))).toBeNull()
  })

  test('a cap of zero in a period is not the same as no period', () => {
    const zero = terms({ periodSeconds: 3600, periodCap: 0n, automaticPeriodCap: 0n })
    expect(changesBetween(terms(), zero, none).periodCap).toEqual({ from: null, to: '0' })
  })
})

describe('changesPolicy', () => {
  const isOther = (change: Partial<PolicyTerms>) =>
    changesPolicy(changesBetween(terms(), terms(change), { added: [address(7)], removed: [] }))

  test('other recipients alone do not make another policy', () => {
    expect(isOther({})).toBe(false)
  })

  test.each<[string, Partial<PolicyTerms>]>([
    ['the executor', { executorAddress: address(9) }],
    ['an approver more', { approverAddresses: [address(2), address(5)] }],
    ['an approver less', { approverAddresses: [] }],
    ['a cap', { lifetimeCap: 5001n }],
    ['a period', PERIOD],
    ['tiers', { tiers: TIERS }],
    ['the expiry', { expiresAt: '2028-01-01T00:00:00.000Z' }],
    ['a switch', { automaticEnabled: false }],
    ['a pause', { paused: true }],
  ])('%s makes it another policy', (_name, change) => {
    expect(isOther(change)).toBe(true)
  })
})

describe('listChange', () => {
  property.prop([
    fc.uniqueArray(fc.integer({ min: 1, max: 40 })),
    fc.uniqueArray(fc.integer({ min: 1, max: 40 })),
  ])('before, minus removed, plus added, is after', (from, to) => {
    const [before, after] = [from.map(address), to.map(address)]
    const { added, removed } = listChange(before, after)
    const kept = before.filter((entry) => !removed.includes(entry))
    expect([...kept, ...added].sort()).toEqual([...after].sort())
    expect(added.filter((entry) => removed.includes(entry))).toEqual([])
  })
})

describe('the differences of a vault from its organization', () => {
  const listed = (change: object = {}) => ({
    executorAddress: address(1),
    approverAddresses: [address(2)],
    recipientAddresses: [address(3)],
    ...change,
  })

  test('are empty when the lists are equal, in any order', () => {
    const recipientAddresses = [address(3), address(4)]
    const own = listed({ recipientAddresses: recipientAddresses.toReversed() })
    expect(differencesFrom(listed({ recipientAddresses }), own)).toEqual({
      missingRecipients: [],
      extraRecipients: [],
      missingApprovers: [],
      extraApprovers: [],
      executorDiffers: false,
    })
  })

  test('are what is on one side only, with checksums', () => {
    const mixed = `0x${'ab'.repeat(20)}`
    const own = listed({
      recipientAddresses: [mixed],
      approverAddresses: [address(2), address(6)],
    })
    expect(differencesFrom(listed(), own)).toEqual({
      missingRecipients: [checksummed(mixed)],
      extraRecipients: [address(3)],
      missingApprovers: [address(6)],
      extraApprovers: [],
      executorDiffers: false,
    })
  })

  test.each([[undefined], [address(9)]])('include the executor %s', (executorAddress) => {
    expect(differencesFrom(listed(), { ...listed(), executorAddress }).executorDiffers).toBe(true)
  })
})
