import { expect, test } from 'vitest'
import { durationText } from './owner-call-text.ts'

test.each<[number, string]>([
  [1, '1 second'],
  [59, '59 seconds'],
  [60, '60 seconds (1 minute)'],
  [3_661, '3661 seconds (1 hour, 1 minute, 1 second)'],
  [90_002, '90002 seconds (1 day, 1 hour, 2 seconds)'],
  [31_536_000, '31536000 seconds (365 days)'],
])('writes %d seconds out', (seconds, text) => {
  expect(durationText(seconds)).toBe(text)
})
