import { useLive } from '@countersign/app-kit/data/live.tsx'
import { Mark } from '@countersign/ui/mark.tsx'
import { Moment } from '@countersign/ui/moment.tsx'
import { Card, Section } from '@countersign/ui/page.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { OperatorEvent } from '../../data/operator-live.tsx'
import { EVENT_SUBJECTS, markOfEvent } from '../../words/events.ts'

const SHOWN = 12

/** What the stream says, newest first. */
export function RecentEvents({ events }: { events: readonly OperatorEvent[] }) {
  const { t } = useLingui()
  const { state } = useLive()
  if (events.length === 0) return null
  const newest = [...events].sort((a, b) => (a.occurredAt < b.occurredAt ? 1 : -1))
  return (
    <Section
      title={<Trans>Just happened</Trans>}
      note={state.phase === 'live' && <Trans>live</Trans>}
    >
      <Card isFlush>
        <ol aria-label={t`Events, newest first`} className="divide-y divide-line">
          {newest.slice(0, SHOWN).map((event) => (
            <EventRow key={event.id} event={event} />
          ))}
        </ol>
      </Card>
    </Section>
  )
}

function EventRow({ event }: { event: OperatorEvent }) {
  const { i18n } = useLingui()
  const mark = markOfEvent(event)
  return (
    <li>
      <EventLink event={event}>
        <span className="min-w-0 flex-1">
          {i18n._(EVENT_SUBJECTS[event.aggregateType])}
          {event.aggregateType === 'service' && (
            <span className="ms-2 font-mono text-muted">{event.aggregateId}</span>
          )}
        </span>
        {mark ? (
          <Mark kind={mark.kind}>{i18n._(mark.word)}</Mark>
        ) : (
          <span className="break-all font-mono text-muted">{event.targetState ?? event.code}</span>
        )}
        <span className="w-28 text-end text-muted">
          <Moment at={event.occurredAt} />
        </span>
      </EventLink>
    </li>
  )
}

const rowStyle = 'flex items-center gap-x-4 px-4 py-2.5 text-sm sm:px-5'
const linkStyle = `press ${rowStyle} hover:bg-hover`

type LinkProps = { event: OperatorEvent; children: ReactNode }

/** Opens the thing itself, or else the organization that it belongs to. */
function EventLink({ event, children }: LinkProps) {
  const { organizationId, aggregateType, aggregateId } = event
  if (aggregateType === 'service') {
    return (
      <Link to="/health" className={linkStyle}>
        {children}
      </Link>
    )
  }
  if (organizationId === null) return <div className={rowStyle}>{children}</div>
  if (aggregateType === 'support_case') {
    return (
      <Link to="/cases/$caseId" params={{ caseId: aggregateId }} className={linkStyle}>
        {children}
      </Link>
    )
  }
  if (aggregateType === 'payment' || aggregateType === 'expense') {
    return (
      <Link
        to="/organizations/$organizationId/payments/$paymentId"
        params={{ organizationId, paymentId: aggregateId }}
        className={linkStyle}
      >
        {children}
      </Link>
    )
  }
  return (
    <Link
      to="/organizations/$organizationId"
      params={{ organizationId }}
      search={{}}
      className={linkStyle}
    >
      {children}
    </Link>
  )
}
