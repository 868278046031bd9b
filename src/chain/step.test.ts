import { expect, test } from 'vitest'
import { RANGE_MAX, rangeAfter, type StepOutcome } from './step.ts'

const after = (outcomes: readonly (StepOutcome | 'failed')[], from = RANGE_MAX) =>
  outcomes.reduce((range, outcome) => rangeAfter(outcome, range), from)
const many = (outcome: StepOutcome | 'failed', count = 50) => Array(count).fill(outcome)

test('each failure halves the range, down to one block', () => {
  expect(after(['failed'])).toBe(RANGE_MAX / 2)
  expect(after(many('failed'))).toBe(1)
})

test.each(['moved', 'idle'] as const)('it grows to the largest again while steps are %s', (way) => {
  expect(after([way], 1)).toBe(2)
  expect(after(many(way), 1)).toBe(RANGE_MAX)
})

test('a busy step leaves it as it is', () => {
  expect(after(['busy'], 7)).toBe(7)
})
