import { expect, test } from 'vitest'
import { secondsToNextPoll } from './poll-interval.ts'

const lookAfter = (seconds: number): number => {
  const since = '2026-01-01T00:00:00.000Z'
  return secondsToNextPoll(since, new Date(Date.parse(since) + seconds * 1000))
}

test.each([
  [-3, 5],
  [0, 5],
  [100, 5],
  [120, 6],
  [600, 30],
  [6_000, 300],
  [86_400, 300],
])('polls a transaction submitted %i s ago again in %i s', (age, wanted) => {
  expect(lookAfter(age)).toBe(wanted)
})
