import { Moment } from '@countersign/ui/moment.tsx'
import { Card, Section } from '@countersign/ui/page.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import type { OperatorEvent } from '../../data/operator-live.tsx'
import { SeverityMark } from '../../words/severity-mark.tsx'

const SHOWN = 12

/** What the stream says, newest first. */
export function RecentEvents({ events }: { events: readonly OperatorEvent[] }) {
  const { t } = useLingui()
  if (events.length === 0) return null
  const newest = [...events].sort((a, b) => (a.occurredAt < b.occurredAt ? 1 : -1))
  return (
    <Section title={<Trans>Just happened</Trans>} note={<Trans>live</Trans>}>
      <Card isFlush>
        <ol aria-label={t`Events, newest first`} className="divide-y divide-line">
          {newest.slice(0, SHOWN).map((event) => (
            <li
              key={event.id}
              className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2.5 text-sm sm:px-5"
            >
              <span className="min-w-0 flex-1 basis-56 break-words">
                <span className="font-mono">{event.kind}</span>
                {event.targetState && <span className="text-muted"> → {event.targetState}</span>}
              </span>
              {event.organizationId && (
                <Link
                  to="/organizations/$organizationId"
                  params={{ organizationId: event.organizationId }}
                  search={{ about: event.aggregateId }}
                  className="text-accent underline-offset-4 hover:underline"
                >
                  <Trans>Open the organization</Trans>
                </Link>
              )}
              {event.severity !== 'healthy' && <SeverityMark severity={event.severity} />}
              <span className="text-muted sm:w-28 sm:text-end">
                <Moment at={event.occurredAt} />
              </span>
            </li>
          ))}
        </ol>
      </Card>
    </Section>
  )
}
