import { expect, test } from 'vitest'
import { transportFailure } from './errors.ts'
import { backoffMs, DEFAULT_RETRY, delayBefore, isTemporary, retryAfterMs } from './retry.ts'

const NOW = Date.UTC(2030, 0, 1, 12)

test.each([
  ['3', 3_000],
  [' 0 ', 0],
  ['Tue, 01 Jan 2030 12:00:05 GMT', 5_000],
  ['Tue, 01 Jan 2030 11:00:00 GMT', 0],
])('Retry-After %j means %i ms', (value, expected) => {
  expect(retryAfterMs(value, NOW)).toBe(expected)
})

test.each([null, '', '-1', '1.5', 'soon', '2030-01-01', '9999999999999'])(
  'Retry-After %j means nothing',
  (value) => {
    expect(retryAfterMs(value, NOW)).toBeNull()
  },
)

test('the limit of a delay doubles up to a maximum, and chance decides below it', () => {
  const limits = [1, 2, 3, 4, 5, 100].map((failures) =>
    backoffMs({ baseDelayMs: 100, delayMaxMs: 1_000 }, failures, () => 1),
  )
  expect(limits).toEqual([100, 200, 400, 800, 1_000, 1_000])
  expect(backoffMs(DEFAULT_RETRY, 5, () => 0)).toBe(0)
})

const waiting = (retryAfter: number | null) =>
  transportFailure('network', { retryAfterMs: retryAfter })
const about = { attempts: 1, random: () => 0.5, policy: DEFAULT_RETRY }

test('waits at least as long as the service asks', () => {
  expect(delayBefore(waiting(2_000), about)).toBe(2_000)
  expect(delayBefore(waiting(10), about)).toBe(125)
})

test('gives up at the last attempt, and when the service asks for more than the maximum', () => {
  expect(delayBefore(waiting(null), { ...about, attempts: 4 })).toBeNull()
  expect(delayBefore(waiting(20_000), about)).toBe(20_000)
  expect(delayBefore(waiting(20_001), about)).toBeNull()
})

test.each([
  ['network', null, true],
  ['timeout', null, true],
  ['unexpected_response', 502, true],
  ['unexpected_response', 503, true],
  ['unexpected_response', 200, false],
  ['unexpected_response', 500, false],
  ['aborted', null, false],
] as const)('%s with status %s is temporary: %s', (code, status, expected) => {
  expect(isTemporary(transportFailure(code, { status }))).toBe(expected)
})
