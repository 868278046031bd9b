import { isTimestamp } from '@countersign/proof/values.ts'
import { fc, test as property } from '@fast-check/vitest'
import { describe, expect, test } from 'vitest'
import { inBody, notStrings } from '#test/support/schemas.ts'
import { Timestamp } from './values.ts'

const accepts = inBody(Timestamp)

const digits = (value: number, length: number) => String(value).padStart(length, '0')
const isoDate = (year: number, month: number, day: number) =>
  `${digits(year, 4)}-${digits(month, 2)}-${digits(day, 2)}`

/** The engine's own calendar: a day that does not exist rolls over to another date. */
function existsInCalendar(year: number, month: number, day: number): boolean {
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  return (
    date.getUTCFullYear() === year && date.getUTCMonth() + 1 === month && date.getUTCDate() === day
  )
}

describe('TIMESTAMP', () => {
  test.each([
    '2024-02-29T00:00:00Z',
    '2000-02-29T12:30:45Z',
    '1970-01-01T00:00:00Z',
    '1999-12-31T23:59:59Z',
    '9999-12-31T23:59:59.999999999Z',
    '0001-01-01T00:00:00Z',
    '0000-01-01T00:00:00Z',
    '2024-01-31T00:00:00.1Z',
    '2024-01-31T00:00:00.123Z',
    '2024-01-31T00:00:00.123456Z',
    '2024-01-31T00:00:00.000000000Z',
  ])('%s is accepted', (value) => {
    expect(accepts(value)).toBe(true)
    expect(isTimestamp(value)).toBe(true)
  })

  test.each([
    ['1900-02-29T00:00:00Z', '1900 was no leap year'],
    ['2023-02-29T00:00:00Z', '2023 was no leap year'],
    ['2100-02-29T00:00:00Z', '2100 will be no leap year'],
    ['2024-02-30T00:00:00Z', 'no February has 30 days'],
    ['2024-02-31T00:00:00Z', 'no February has 31 days'],
    ['2024-04-31T00:00:00Z', 'April has 30 days'],
    ['2024-06-31T00:00:00Z', 'June has 30 days'],
    ['2024-09-31T00:00:00Z', 'September has 30 days'],
    ['2024-11-31T00:00:00Z', 'November has 30 days'],
    ['2024-01-32T00:00:00Z', 'no month has 32 days'],
    ['2024-01-00T00:00:00Z', 'day 0'],
    ['2024-00-01T00:00:00Z', 'month 0'],
    ['2024-13-01T00:00:00Z', 'month 13'],
    ['2016-12-31T23:59:60Z', 'a leap second'],
    ['2024-01-01T24:00:00Z', 'hour 24'],
    ['2024-01-01T23:60:00Z', 'minute 60'],
    ['2024-01-01T00:00:00', 'no Z'],
    ['2024-01-01T00:00:00+00:00', 'an offset, though it is zero'],
    ['2024-01-01T00:00:00-00:00', 'a negative zero offset'],
    ['2024-01-01T02:00:00+02:00', 'another zone'],
    ['2024-01-01t00:00:00Z', 'a lower-case t'],
    ['2024-01-01T00:00:00z', 'a lower-case z'],
    ['2024-01-01 00:00:00Z', 'a space for the T'],
    ['2024-01-01T00:00Z', 'no seconds'],
    ['2024-01-01T00:00:00.Z', 'a point without a fraction'],
    ['2024-01-01T00:00:00,5Z', 'a comma for the point'],
    ['2024-01-01T00:00:00.0000000000Z', 'ten decimals'],
    ['2024-01-01', 'a date alone'],
    ['20240101T000000Z', 'the basic form'],
    ['2024-001T00:00:00Z', 'the ordinal form'],
    ['2024-W01-1T00:00:00Z', 'the week form'],
    ['24-01-01T00:00:00Z', 'two digits of the year'],
    ['10000-01-01T00:00:00Z', 'five digits of the year'],
    ['+010000-01-01T00:00:00Z', 'an expanded year'],
    ['-000001-01-01T00:00:00Z', 'a year before 0'],
    [' 2024-01-01T00:00:00Z', 'a leading space'],
    ['2024-01-01T00:00:00Z ', 'a trailing space'],
    ['2024-01-01T00:00:00Z\n', 'a trailing new line'],
    ['２024-01-01T00:00:00Z', 'a full-width digit'],
    ['', 'nothing'],
  ])('%j is refused: %s', (value) => {
    expect(accepts(value)).toBe(false)
    expect(isTimestamp(value)).toBe(false)
  })

  test.each([[1_704_067_200_000], ...notStrings])('%j is refused', (value) => {
    expect(accepts(value)).toBe(false)
    expect(isTimestamp(value)).toBe(false)
  })

  test('accepts exactly the days of a whole 400-year cycle', () => {
    const wrong: string[] = []
    for (let year = 1600; year < 2000; year += 1) {
      for (let month = 0; month <= 13; month += 1) {
        for (let day = 0; day <= 32; day += 1) {
          const value = isoDate(year, month, day)
          const isDay = existsInCalendar(year, month, day)
          if (isTimestamp(`${value}T00:00:00Z`) !== isDay) wrong.push(value)
        }
      }
    }
    expect(wrong).toEqual([])
  })

  test('accepts exactly the leap years from 0000 to 9999', () => {
    const years = Array.from({ length: 10_000 }, (_, year) => year)
    const wrong = years.filter(
      (year) => isTimestamp(`${isoDate(year, 2, 29)}T00:00:00Z`) !== existsInCalendar(year, 2, 29),
    )
    expect(wrong).toEqual([])
  })

  const upTo = (max: number) => fc.integer({ min: 0, max })
  const fraction = fc.string({ unit: fc.constantFrom(...'0123456789'), maxLength: 12 })

  property.prop([upTo(9999), upTo(13), upTo(32), upTo(25), upTo(61), upTo(61), fraction], {
    numRuns: 2_000,
  })(
    'agrees with an independent calendar and clock',
    (year, month, day, hour, minute, second, decimals) => {
      const time = [hour, minute, second].map((part) => digits(part, 2)).join(':')
      const tail = decimals === '' ? '' : `.${decimals}`
      const exists = existsInCalendar(year, month, day) && hour < 24 && minute < 60 && second < 60
      expect(accepts(`${isoDate(year, month, day)}T${time}${tail}Z`)).toBe(
        exists && decimals.length <= 9,
      )
    },
  )

  property.prop([fc.date({ min: new Date(-62_167_219_200_000), noInvalidDate: true })])(
    'accepts every time that the service itself would write',
    (moment) => {
      fc.pre(moment.getUTCFullYear() <= 9999)
      expect(accepts(moment.toISOString())).toBe(true)
    },
  )
})
