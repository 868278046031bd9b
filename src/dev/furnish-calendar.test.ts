import { describe, expect, test } from 'vitest'
import { chainBegins, peopleJoin, roundsOf, vaultsOpen, workday } from './furnish-calendar.ts'
import { openExpenses } from './furnish-open.ts'
import { paidExpenses } from './furnish-paid.ts'

const all = [...paidExpenses, ...openExpenses].map((plan) => ({ plan }))

/** Every day of a leap year and the next one, at an hour that differs each day. */
const starts = Array.from(
  { length: 731 },
  (_, day) => new Date(Date.UTC(2028, 0, 1 + day, (day * 7) % 24, 17)),
)

const inOrder = (times: readonly Date[]): boolean =>
  times.every((time, at) => at === 0 || time > (times[at - 1] ?? time))

describe('whatever day the demo begins on', () => {
  test('what is paid falls into at least four calendar months', () => {
    const few = starts.filter((now) => {
      const months = roundsOf(now, all)
        .filter(({ plans }) => plans.some(({ plan }) => plan.end.state === 'paid'))
        .map(({ signed }) => signed.toISOString().slice(0, 7))
      return new Set(months).size < 4
    })
    expect(few).toEqual([])
  })

  test('no month in between is empty', () => {
    const gaps = starts.filter((now) => {
      const numbers = roundsOf(now, all).map(
        ({ signed }) => signed.getUTCFullYear() * 12 + signed.getUTCMonth(),
      )
      return numbers.some((number, at) => number - (numbers[at - 1] ?? number) > 1)
    })
    expect(gaps).toEqual([])
  })

  test('time never goes back, and ends before now', () => {
    const wrong = starts.filter((now) => {
      const rounds = roundsOf(now, all)
      const days = rounds.flatMap(({ filed, reviewed, signed }) => [filed, reviewed, signed])
      return !inOrder([chainBegins(now), peopleJoin(now), vaultsOpen(now), ...days, now])
    })
    expect(wrong).toEqual([])
  })
})

test('every expense is filed once', () => {
  const filed = roundsOf(new Date('2026-09-15T12:00:00Z'), all).flatMap(({ plans }) => plans)
  expect(filed).toHaveLength(all.length)
  expect(new Set(filed)).toEqual(new Set(all))
})

test('work begins in the morning, and on no weekend', () => {
  const monday = new Date('2026-09-14T20:00:00Z')
  expect(workday(monday, 0).toISOString()).toBe('2026-09-14T08:40:00.000Z')
  expect(workday(monday, 1).toISOString()).toBe('2026-09-11T08:40:00.000Z')
  expect(workday(monday, 2).toISOString()).toBe('2026-09-11T08:40:00.000Z')
  expect(workday(monday, 3).toISOString()).toBe('2026-09-11T08:40:00.000Z')
})
