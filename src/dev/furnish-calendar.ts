/** When things happen in the demo: on working days of the last four months, until an hour ago. */
import { addSeconds, toDate } from '#platform/clock.ts'
import type { PlannedExpense } from './furnish-paid.ts'

const HOUR = 3_600
const DAY = 24 * HOUR

const [CHAIN_BEGINS, PEOPLE_JOIN, VAULTS_OPEN] = [130, 124, 121]

/** Days on which expenses are filed, by how many months ago. Every month of a calendar has some. */
const FILED = {
  3: [117, 96],
  2: [96, 75],
  1: [54, 33],
  0: [33, 17, 6],
} as const

const START_OF_WORK = 'T08:40:00Z'

const daysBefore = (now: Date, days: number): Date => addSeconds(now, -days * DAY)

/** In the morning of that day, or of the Friday before. */
export function workday(now: Date, daysAgo: number): Date {
  const day = daysBefore(now, daysAgo)
  // Sunday is 0, and Saturday 6.
  const weekend = [2, 0, 0, 0, 0, 0, 1][day.getUTCDay()] ?? 0
  return toDate(`${daysBefore(day, weekend).toISOString().slice(0, 10)}${START_OF_WORK}`)
}

export const chainBegins = (now: Date): Date => daysBefore(now, CHAIN_BEGINS)
export const peopleJoin = (now: Date): Date => workday(now, PEOPLE_JOIN)
export const vaultsOpen = (now: Date): Date => workday(now, VAULTS_OPEN)

export type Round<Plan> = {
  /** Of filing, of the reviews and of the signatures. */
  filed: Date
  reviewed: Date
  signed: Date
  plans: readonly Plan[]
}

/** Whatever day the demo begins on, the newest expenses are a few hours old. */
function timesOf(now: Date, daysAgo: number): Omit<Round<unknown>, 'plans'> {
  const filed = daysAgo === 0 ? addSeconds(now, -7 * HOUR) : workday(now, daysAgo)
  return { filed, reviewed: addSeconds(filed, 4 * HOUR), signed: addSeconds(filed, 6 * HOUR) }
}

const daysAgoOf = ({ daysAgo, monthsAgo = 0 }: PlannedExpense, place: number): number => {
  const days = FILED[monthsAgo]
  return daysAgo ?? days[place % days.length] ?? 0
}

/** What is filed on the same day, the earliest day first. */
export function roundsOf<Plan extends { plan: PlannedExpense }>(
  now: Date,
  all: readonly Plan[],
): Round<Plan>[] {
  const byDay = new Map<number, Plan[]>()
  for (const [place, one] of all.entries()) {
    const day = daysAgoOf(one.plan, place)
    byDay.set(day, [...(byDay.get(day) ?? []), one])
  }
  return [...byDay]
    .sort(([one], [other]) => other - one)
    .map(([day, plans]) => ({ ...timesOf(now, day), plans }))
}
