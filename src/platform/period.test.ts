import { describe, expect, test } from 'vitest'
import { AppError } from './errors.ts'
import { periodQuery, readPeriod } from './period.ts'

const pattern = new RegExp(
  (periodQuery('Only what happened').from as { pattern?: string }).pattern ?? '',
)

describe('a date or timestamp in a query', () => {
  test.each(['2028-02-29', '2026-01-31', '2026-01-31T23:59:59Z', '2026-01-31T00:00:00.123Z'])(
    'may be %s',
    (value) => expect(value).toMatch(pattern),
  )

  test.each(['2027-02-29', '2026-1-31', '2026-01-31T', '2026-01-31T10:00:00', '2026-01-31Z', ''])(
    'may not be %j',
    (value) => expect(value).not.toMatch(pattern),
  )
})

describe('readPeriod', () => {
  test('includes the last day as a whole', () => {
    expect(readPeriod({ from: '2026-01-01', to: '2026-01-31' })).toEqual({
      from: new Date('2026-01-01T00:00:00Z'),
      before: new Date('2026-02-01T00:00:00Z'),
    })
  })

  test('ends before a timestamp', () => {
    expect(readPeriod({ to: '2026-01-31T10:00:00Z' })).toEqual({
      before: new Date('2026-01-31T10:00:00Z'),
    })
  })

  test('is open where a side is left out', () => {
    expect(readPeriod({})).toEqual({})
  })

  test('may be one day', () => {
    const { from, before } = readPeriod({ from: '2026-01-31', to: '2026-01-31' })
    expect(Number(before) - Number(from)).toBe(86_400_000)
  })

  test('refuses an empty period', () => {
    expect(() => readPeriod({ from: '2026-02-01', to: '2026-01-31' })).toThrow(AppError)
  })
})
