import { useLingui } from '@lingui/react'
import { useEffect, useState } from 'react'

const UNITS = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const

export function relativeTime(at: Date, now: Date, locale: string): string {
  const seconds = Math.round((at.getTime() - now.getTime()) / 1000)
  const format = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' })
  const [unit, size] = UNITS.find(([, length]) => Math.abs(seconds) >= length) ?? []
  // Within a minute it is "now": a count of seconds would be wrong as soon as it is read.
  return unit ? format.format(Math.trunc(seconds / size), unit) : format.format(0, 'second')
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

type Props = { at: string; style?: 'relative' | 'date' | 'full' | 'time' }

const FORMATS = {
  date: { dateStyle: 'medium' },
  full: { dateStyle: 'medium', timeStyle: 'short' },
  time: { timeStyle: 'short' },
} as const

/** When something happens or happened. The exact time is always there for the asking. */
export function Moment({ at, style = 'relative' }: Props) {
  const { i18n } = useLingui()
  const now = useNow()
  const date = new Date(at)
  const exact = new Intl.DateTimeFormat(i18n.locale, {
    dateStyle: 'full',
    timeStyle: 'long',
  }).format(date)
  const text =
    style === 'relative'
      ? relativeTime(date, now, i18n.locale)
      : new Intl.DateTimeFormat(i18n.locale, FORMATS[style]).format(date)
  return (
    <time dateTime={at} title={exact} className="figures">
      {text}
    </time>
  )
}
