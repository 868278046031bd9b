import { expect, test } from 'vitest'
import { standingIn } from './standing.ts'

const lists = {
  recipients: new Set(['0xaa', '0xbb', '0xcc']),
  pending: new Map([['0xbb', '2026-11-18T00:00:00Z']]),
  blocked: new Set(['0xcc', '0xdd']),
}

test.each([
  ['0xAA', 'payable'],
  ['0xBB', 'pending'],
  ['0xCC', 'blocked'],
  ['0xDD', 'blocked'],
  ['0xEE', 'missing'],
])('%s is %s', (address, standing) => {
  expect(standingIn(lists, address)).toBe(standing)
})

test('a vault without a policy pays nobody, and says so only of those it has not blocked', () => {
  const none = { ...lists, recipients: null }
  expect(standingIn(none, '0xAA')).toBe('no_policy')
  expect(standingIn(none, '0xCC')).toBe('blocked')
})
