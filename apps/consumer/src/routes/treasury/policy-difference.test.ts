import { describe, expect, test } from 'vitest'
import {
  differenceFromChanges,
  differenceOf,
  disagreements,
  isChanged,
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
  executorAddress: address('aa'),
  approverAddresses: [address('11')],
  recipientAddresses: [address('22'), address('33')],
}
const effects = (change: Partial<Policy>) =>
  differenceOf(before, { ...before, ...change })
    .values.filter(({ effect }) => effect !== 'same')
    .map(({ field, effect }) => `${field} ${effect}`)

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
  ])('%o', (change, expected) => {
    expect(effects(change)).toEqual(expected)
  })
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
    ['makes up a change', { ...stated, paused: { from: false, to: true } }, 'paused'],
    ['hides an address', { ...stated, recipients: nothing.recipients }, 'recipientAddresses'],
  ])('%s', (_what, changes, field) => {
    expect(disagreements(difference, changes)).toEqual([field])
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
