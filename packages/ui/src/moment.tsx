import { useEffect, useState } from 'react'
import { useRegion } from './use-region.ts'

const UNITS = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const

type Length = Intl.RelativeTimeFormatStyle

/** The number of the reader's calendar day. */
const dayOf = (at: Date): number =>
  Date.UTC(at.getFullYear(), at.getMonth(), at.getDate()) / 86_400_000

export function relativeTime(at: Date, now: Date, locale: string, style: Length = 'long'): string {
  const seconds = Math.round((at.getTime() - now.getTime()) / 1000)
  const [unit, size] = UNITS.find(([, length]) => Math.abs(seconds) >= length) ?? []
  // "Last month" and "next year" name a month and a year of the calendar, which is not counted.
  const numeric = unit === 'month' || unit === 'year' ? 'always' : 'auto'
  const format = new Intl.RelativeTimeFormat(locale, { numeric, style })
  // Within a minute it is "now": a count of seconds would be wrong as soon as it is read.
  if (!unit) return format.format(0, 'second')
  const count = unit === 'day' ? dayOf(at) - dayOf(now) : Math.trunc(seconds / size)
  return format.format(count, unit)
}

/** The present moment, again every `everyMs`. */
export function useNow(everyMs = 30_000): Date {
  const [now, setNow] = useState(() => new Date())
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
  return now
}

/** `brief` is relative, too, for rows of a list. */
type Props = { at: string; style?: 'relative' | 'brief' | 'date' | 'full' | 'time' }

const FORMATS = {
  date: { dateStyle: 'medium' },
  full: { dateStyle: 'medium', timeStyle: 'short' },
  time: { timeStyle: 'short' },
} as const

/** When something happens or happened. The exact time is always there for the asking. */
export function Moment({ at, style = 'relative' }: Props) {
  const region = useRegion()
  const now = useNow()
  const date = new Date(at)
  const exact = new Intl.DateTimeFormat(region, {
    dateStyle: 'full',
    timeStyle: 'long',
  }).format(date)
  const text =
    style === 'relative' || style === 'brief'
      ? relativeTime(date, now, region, style === 'brief' ? 'short' : 'long')
      : new Intl.DateTimeFormat(region, FORMATS[style]).format(date)
  return (
    <time dateTime={at} title={exact} className="figures">
      {text}
    </time>
  )
}
