/** Periods that people ask for, as dates in UTC, as the service counts them. */
export const PERIODS = ['3-months', '6-months', '12-months', 'year', 'all'] as const
export type Period = (typeof PERIODS)[number]

const isoDay = (date: Date): string => date.toISOString().slice(0, 10)

const MONTHS = { '3-months': 3, '6-months': 6, '12-months': 12 } as const

/** Whole months, the current one included. */
export function startOf(period: Period, now: Date): string | undefined {
  if (period === 'all') return undefined
  const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()]
  if (period === 'year') return isoDay(new Date(Date.UTC(year, 0, 1)))
  return isoDay(new Date(Date.UTC(year, month - MONTHS[period] + 1, 1)))
}

/** Every month from the first to the last, so that months without payments are seen as such. */
export function monthsBetween(first: string, last: string): string[] {
  const months: string[] = []
  let [year = 0, month = 0] = first.split('-').map(Number)
  const MAX = 240
  while (months.length < MAX) {
    const key = `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}`
    if (key > last) break
    months.push(key)
    month += 1
    if (month > 12) [year, month] = [year + 1, 1]
  }
  return months
}
