import { expect, test } from 'vitest'
import { utcText } from './utc-moment.tsx'

const now = new Date('2026-11-17T22:30:00Z')
const text = (at: string, locale = 'en-GB') => utcText(new Date(at), now, locale)

test('names today and tomorrow by the days of UTC', () => {
  expect(text('2026-11-17T23:00:00Z')).toBe('today, 23:00 UTC')
  expect(text('2026-11-18T00:00:00Z')).toBe('tomorrow, 00:00 UTC')
  expect(text('2026-11-18T00:00:00Z', 'de')).toBe('morgen, 00:00 UTC')
})

test('names other days by their date', () => {
  expect(text('2026-12-01T00:00:00Z')).toBe('1 Dec 2026, 00:00 UTC')
  expect(text('2026-11-16T12:00:00Z')).toBe('16 Nov 2026, 12:00 UTC')
})
