import { expect, test } from 'vitest'
import { relativeTime } from './moment.tsx'

/** In the reader's time zone, as what is shown: Tuesday, 17 November, half past ten in the evening. */
const now = new Date(2026, 10, 17, 22, 30)
const text = (at: Date, locale = 'en') => relativeTime(at, now, locale)
const november = (day: number, hours: number, minutes = 0) =>
  new Date(2026, 10, day, hours, minutes)

test.each([
  [november(18, 23), 'tomorrow', 'morgen'],
  [november(19, 0, 30), 'in 2 days', 'übermorgen'],
  [november(19, 22), 'in 2 days', 'übermorgen'],
  [november(20, 1), 'in 3 days', 'in 3 Tagen'],
  [november(16, 22), 'yesterday', 'gestern'],
  [november(16, 0), 'yesterday', 'gestern'],
  [november(15, 23, 30), '2 days ago', 'vorgestern'],
])('%s is said by the day of the calendar: %s', (at, english, german) => {
  expect(text(at)).toBe(english)
  expect(text(at, 'de')).toBe(german)
})

test.each([
  [november(17, 22, 30), 'now'],
  [november(17, 23, 29), 'in 59 minutes'],
  [november(18, 0, 30), 'in 2 hours'],
  [november(18, 22), 'in 23 hours'],
  [november(16, 23), '23 hours ago'],
])('less than a day is said in hours and minutes: %s, %s', (at, english) => {
  expect(text(at)).toBe(english)
})

test.each([
  [new Date(2026, 9, 10), '1 month ago'],
  [new Date(2027, 0, 10), 'in 1 month'],
  [new Date(2025, 10, 1), '1 year ago'],
  [new Date(2028, 0, 1), 'in 1 year'],
])('months and years are counted: %s, %s', (at, english) => {
  expect(text(at)).toBe(english)
})
