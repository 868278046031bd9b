import { describe, expect, test } from 'vitest'
import {
  differenceFromChanges,
  differenceOf,
  disagreements,
  isChanged,
  isRecipientsOnly,
  isWider,
  type PolicyChanges,
} from './policy-difference.ts'
import type { Policy } from './policy-terms.ts'

const address = (byte: string): `0x${string}` => `0x${byte.repeat(20)}`
const before: Policy = {
  approvedCap: '5000',
  automaticCap: '20',
  lifetimeCap: '300000',
  reserveFloor: '1250',
  expiresAt: '2027-03-01T00:00:00Z',
  automaticEnabled: false,
  paused: false,
  periodSeconds: null,
  periodCap: null,
  automaticPeriodCap: null,
  tiers: [],
  executorAddress: address('aa'),
  approverAddresses: [address('11')],
  recipientAddresses: [address('22'), address('33')],
}
const effects = (change: Partial<Policy>) =>
  differenceOf(before, { ...before, ...change })
    .values.filter(({ effect }) => effect !== 'same')
    .map(({ field, effect }) => `${field} ${effect}`)

const PERIOD_ADDED = ['periodSeconds narrower', 'periodCap narrower', 'automaticPeriodCap narrower']

describe('a change is told apart', () => {
  test.each<[Partial<Policy>, string[]]>([
    [{ approvedCap: '5001' }, ['approvedCap wider']],
    [{ approvedCap: '999' }, ['approvedCap narrower']],
    [{ reserveFloor: '1300' }, ['reserveFloor narrower']],
    [{ reserveFloor: '0' }, ['reserveFloor wider']],
    [{ expiresAt: '2027-03-01T00:00:00.000Z' }, []],
    [{ expiresAt: '2027-04-01T00:00:00Z' }, ['expiresAt wider']],
    [{ automaticEnabled: true }, ['automaticEnabled wider']],
    [{ paused: true }, ['paused narrower']],
    [{ executorAddress: address('bb') }, ['executorAddress other']],
    [{ executorAddress: address('AA') }, []],
    [{ periodSeconds: 86_400, periodCap: '9', automaticPeriodCap: '1' }, PERIOD_ADDED],
    [{ tiers: [{ above: '100', approvals: 2 }] }, ['tiers narrower']],
  ])('%o', (change, expected) => {
    expect(effects(change)).toEqual(expected)
  })
})

describe('a limit in force', () => {
  const limited: Policy = {
    ...before,
    periodSeconds: 86_400,
    periodCap: '900',
    automaticPeriodCap: '50',
    tiers: [
      { above: '100', approvals: 2 },
      { above: '800', approvals: 3 },
    ],
  }
  const changed = (change: Partial<Policy>) =>
    differenceOf(limited, { ...limited, ...change })
      .values.filter(({ effect }) => effect !== 'same')
      .map(({ field, effect }) => `${field} ${effect}`)

  test.each<[string, Partial<Policy>, string[]]>([
    ['a higher cap', { periodCap: '901' }, ['periodCap wider']],
    ['a lower automatic cap', { automaticPeriodCap: '0' }, ['automaticPeriodCap narrower']],
    ['a shorter period', { periodSeconds: 3_600 }, ['periodSeconds wider']],
    ['a longer period', { periodSeconds: 604_800 }, ['periodSeconds narrower']],
    [
      'no period',
      { periodSeconds: null, periodCap: null, automaticPeriodCap: null },
      ['periodSeconds wider', 'periodCap wider', 'automaticPeriodCap wider'],
    ],
    ['no tiers', { tiers: [] }, ['tiers wider']],
    ['a tier that begins later', { tiers: [{ above: '101', approvals: 2 }] }, ['tiers wider']],
    ['stricter and laxer tiers', { tiers: [{ above: '50', approvals: 2 }] }, ['tiers wider']],
    ['more people', { tiers: [{ above: '100', approvals: 3 }] }, ['tiers narrower']],
  ])('with %s', (_what, change, expected) => {
    expect(changed(change)).toEqual(expected)
  })
})

test('only the recipients change, or more', () => {
  const added = { ...before, recipientAddresses: [...before.recipientAddresses, address('44')] }
  expect(isRecipientsOnly(differenceOf(before, added))).toBe(true)
  expect(isRecipientsOnly(differenceOf(before, { ...added, paused: true }))).toBe(false)
  expect(isRecipientsOnly(differenceOf(before, { ...added, approverAddresses: [] }))).toBe(false)
  expect(isRecipientsOnly(differenceOf(before, before))).toBe(false)
  expect(isRecipientsOnly(differenceOf(null, added))).toBe(false)
})

test('addresses are added, removed and kept in any letter case', () => {
  const after = { ...before, recipientAddresses: [address('22'), address('Ff')] }
  const difference = differenceOf(before, after)
  expect(difference.lists[1]).toMatchObject({
    added: [address('Ff')],
    removed: [address('33')],
    kept: [address('22')],
  })
  expect(isWider(difference)).toBe(true)
  expect(isChanged(differenceOf(before, before))).toBe(false)
})

test('a first policy is new in every field', () => {
  expect(differenceOf(null, before).values.every(({ effect }) => effect === 'new')).toBe(true)
})

const nothing: PolicyChanges = {
  recipients: { added: [], removed: [] },
  approvers: { added: [], removed: [] },
  executor: null,
  approvedCap: null,
  automaticCap: null,
  lifetimeCap: null,
  reserveFloor: null,
  expiresAt: null,
  automaticEnabled: null,
  paused: null,
  periodSeconds: null,
  periodCap: null,
  automaticPeriodCap: null,
  tiers: null,
}

describe('what the service states', () => {
  const after = { ...before, approvedCap: '6000', recipientAddresses: [address('22')] }
  const difference = differenceOf(before, after)
  const stated: PolicyChanges = {
    ...nothing,
    approvedCap: { from: '5000', to: '6000' },
    recipients: { added: [], removed: [address('33')] },
  }
  test('agrees', () => {
    expect(disagreements(difference, stated)).toEqual([])
  })
  test.each<[string, PolicyChanges, string]>([
    ['leaves out a change', { ...stated, approvedCap: null }, 'approvedCap'],
    [
      'hides the old value',
      { ...stated, approvedCap: { from: '5999', to: '6000' } },
      'approvedCap',
    ],
    ['names another value', { ...stated, approvedCap: { from: '5000', to: '9' } }, 'approvedCap'],
    [
      'makes up a period',
      { ...stated, periodSeconds: { from: null, to: 86_400 } },
      'periodSeconds',
    ],
    ['makes up tiers', { ...stated, tiers: { from: null, to: [] } }, 'tiers'],
    ['makes up a change', { ...stated, paused: { from: false, to: true } }, 'paused'],
    ['hides an address', { ...stated, recipients: nothing.recipients }, 'recipientAddresses'],
  ])('%s', (_what, changes, field) => {
    expect(disagreements(difference, changes)).toEqual([field])
  })
})

describe('of a first policy', () => {
  const first: PolicyChanges = {
    ...nothing,
    executor: { from: null, to: address('aa') },
    approvedCap: { from: null, to: '5000' },
    automaticCap: { from: null, to: '20' },
    lifetimeCap: { from: null, to: '300000' },
    reserveFloor: { from: null, to: '1250' },
    expiresAt: { from: null, to: before.expiresAt },
    automaticEnabled: { from: null, to: false },
    paused: { from: null, to: false },
    approvers: { added: [address('11')], removed: [] },
    recipients: { added: [address('22'), address('33')], removed: [] },
  }
  test('the service leaves out limits that stay off', () => {
    expect(disagreements(differenceOf(null, before), first)).toEqual([])
  })
  test('the service states a limit that comes with it', () => {
    const tiers = [{ above: '100', approvals: 2 }]
    const difference = differenceOf(null, { ...before, tiers })
    expect(disagreements(difference, first)).toEqual(['tiers'])
    expect(disagreements(difference, { ...first, tiers: { from: null, to: tiers } })).toEqual([])
  })
  test('everything is new', () => {
    const { values } = differenceFromChanges({
      ...first,
      periodSeconds: { from: null, to: 86_400 },
    })
    expect(values.every(({ effect }) => effect === 'new')).toBe(true)
  })
})

test('what a policy changed is read from what the service kept', () => {
  const changes = {
    ...nothing,
    reserveFloor: { from: '5', to: '9' },
    approvers: { added: [address('11')], removed: [] },
  }
  expect(differenceFromChanges(changes)).toEqual({
    values: [{ field: 'reserveFloor', from: '5', to: '9', effect: 'narrower' }],
    lists: [{ field: 'approverAddresses', added: [address('11')], removed: [], kept: [] }],
  })
})
