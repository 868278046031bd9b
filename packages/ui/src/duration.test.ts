import { expect, test } from 'vitest'
import { durationWords } from './duration.ts'

test.each([
  [86_400, 'en', '1 day'],
  [604_800, 'de', '7 Tage'],
  [90_061, 'en', '1 day, 1 hour, 1 minute, 1 second'],
  [3_600, 'de', '1 Stunde'],
])('%i seconds in %s are %s', (seconds, region, words) => {
  expect(durationWords(seconds, region)).toBe(words)
})
