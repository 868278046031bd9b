import { describe, expect, test } from 'vitest'
import { formatAmount } from './amounts.ts'
import { regionFor } from './region.ts'

describe('the region of a language', () => {
  test.each([
    ['en', ['en-US', 'en'], 'en-US'],
    ['en', ['de-AT', 'en-IE'], 'en-IE'],
    ['de', ['en-GB', 'de-CH'], 'de-CH'],
    ['de', ['DE-at'], 'de-AT'],
    ['en', ['en', 'en-AU'], 'en-AU'],
    ['en', ['fr-FR'], 'en-GB'],
    ['de', [], 'de-DE'],
  ])('%s in a browser that prefers %j is %s', (language, preferred, region) => {
    expect(regionFor(language, preferred)).toBe(region)
  })
})

test('dates and amounts follow the region', () => {
  const day = (region: string) =>
    new Intl.DateTimeFormat(region, { dateStyle: 'medium', timeZone: 'UTC' }).format(
      new Date('2026-11-16'),
    )
  expect([day('en-US'), day('en-GB'), day('de-AT')]).toEqual([
    'Nov 16, 2026',
    '16 Nov 2026',
    '16.11.2026',
  ])
  expect(formatAmount('1234500000', 6, 'de-CH')).toMatch(/^1['’]234\.50$/)
})
