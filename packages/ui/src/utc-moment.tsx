import { useNow } from './moment.tsx'
import { useRegion } from './use-region.ts'

const DAY_MS = 86_400_000

/** "tomorrow, 00:00 UTC". Spending periods begin at round times in UTC, and nowhere else. */
export function utcText(at: Date, now: Date, locale: string): string {
  const days = Math.floor(at.getTime() / DAY_MS) - Math.floor(now.getTime() / DAY_MS)
  const day =
    days === 0 || days === 1
      ? new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(days, 'day')
      : new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' }).format(at)
  const time = new Intl.DateTimeFormat(locale, {
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZone: 'UTC',
  }).format(at)
  return `${day}, ${time} UTC`
}

export function UtcMoment({ at }: { at: string }) {
  const region = useRegion()
  const now = useNow()
  const date = new Date(at)
  const local = new Intl.DateTimeFormat(region, { dateStyle: 'full', timeStyle: 'long' })
  return (
    <time dateTime={at} title={local.format(date)} className="figures">
      {utcText(date, now, region)}
    </time>
  )
}
