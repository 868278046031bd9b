import { useLingui } from '@lingui/react'

/** A day without a time is the same day everywhere, so no time zone may move it. */
export function CalendarDay({ day }: { day: string }) {
  const { i18n } = useLingui()
  const format = new Intl.DateTimeFormat(i18n.locale, { dateStyle: 'medium', timeZone: 'UTC' })
  return <time dateTime={day}>{format.format(new Date(`${day}T00:00:00Z`))}</time>
}
