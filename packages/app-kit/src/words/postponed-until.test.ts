import { expect, test } from 'vitest'
import { postponedUntilOf } from './postponed-until.ts'

const until = '2026-11-18T00:00:00Z'

test('only a queued payment waits for its period', () => {
  expect(postponedUntilOf({ state: 'queued', postponedUntil: until })).toBe(until)
  expect(postponedUntilOf({ state: 'blocked', postponedUntil: until })).toBeNull()
  expect(postponedUntilOf({ state: 'queued', postponedUntil: null })).toBeNull()
  expect(postponedUntilOf({ state: 'queued' })).toBeNull()
  expect(postponedUntilOf(null)).toBeNull()
})
