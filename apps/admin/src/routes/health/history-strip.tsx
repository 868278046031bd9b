import { classes } from '@countersign/ui/classes.ts'
import { useLingui } from '@lingui/react/macro'
import { SEVERITIES, type Severity } from '../../words/severities.ts'
import type { Segment } from './segments.ts'

const COLORS: Record<Severity, string> = {
  healthy: 'bg-ok/50',
  degraded: 'bg-warn',
  action_required: 'bg-bad',
}

/** A service over time. The list of changes below says the same in words. */
export function HistoryStrip({ segments, name }: { segments: readonly Segment[]; name: string }) {
  const { t, i18n } = useLingui()
  const start = segments[0]?.from ?? 0
  const end = segments.at(-1)?.to ?? 1
  const format = new Intl.DateTimeFormat(i18n.locale, { dateStyle: 'medium', timeStyle: 'short' })
  return (
    <div
      role="img"
      aria-label={t`${name} since ${format.format(start)}`}
      className="flex h-6 w-full overflow-hidden rounded-sm"
    >
      {segments.map(({ severity, from, to, code }) => (
        <span
          key={from}
          title={`${i18n._(SEVERITIES[severity].word)}${code ? ` (${code})` : ''}, ${format.format(from)}`}
          className={classes('h-full min-w-[2px]', COLORS[severity])}
          style={{ inlineSize: `${((to - from) * 100) / Math.max(1, end - start)}%` }}
        />
      ))}
    </div>
  )
}
