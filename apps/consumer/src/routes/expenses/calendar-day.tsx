import { useRegion } from '@countersign/ui/use-region.ts'

/** A day without a time is the same day everywhere, so no time zone may move it. */
export function CalendarDay({ day }: { day: string }) {
  const region = useRegion()
  const format = new Intl.DateTimeFormat(region, { dateStyle: 'medium', timeZone: 'UTC' })
  return <time dateTime={day}>{format.format(new Date(`${day}T00:00:00Z`))}</time>
}
