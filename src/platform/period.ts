/** Periods in queries: `from` and `to`, each a date or a timestamp, in UTC. */
import { TIMESTAMP_PATTERN } from '@countersign/proof/values.ts'
import { addSeconds, toDate } from './clock.ts'
import { AppError } from './errors.ts'
import { Type } from './schema.ts'
import { extension, formatted } from './values.ts'

const DAY_SECONDS = 86_400

/** The pattern of a timestamp with an optional time of day. */
const MOMENT_PATTERN = TIMESTAMP_PATTERN.replace('T(', '(T(').replace('Z$', 'Z)?$')

const moment = (description: string) =>
  formatted(
    MOMENT_PATTERN,
    'a day such as 2030-01-31, or a date and time in UTC such as 2030-01-31T09:30:00Z',
    { description, ...extension },
  )

/** Query parameters. `what` completes the descriptions: "Only expenses created …". */
export const periodQuery = (what: string) => ({
  from: Type.Optional(moment(`${what} at or after this time; a date means 00:00 UTC`)),
  to: Type.Optional(moment(`${what} before this time; a date includes the whole day`)),
})

/** Half open: `from` is inclusive, `before` is exclusive. */
export type Period = { from?: Date; before?: Date }

const isDay = (value: string): boolean => !value.includes('T')

const endOf = (value: string): Date =>
  isDay(value) ? addSeconds(toDate(value), DAY_SECONDS) : toDate(value)

export function readPeriod({ from, to }: { from?: string; to?: string }): Period {
  const period: Period = {
    ...(from !== undefined && { from: toDate(from) }),
    ...(to !== undefined && { before: endOf(to) }),
  }
  if (period.from && period.before && period.from >= period.before) {
    throw new AppError('validation_failed', {
      message: '`from` in the query must be before `to`.',
    })
  }
  return period
}
