import { AuditRow } from '@countersign/app-kit/shell/audit-row.tsx'
import { Card, Empty } from '@countersign/ui/page.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import type { OrganizationDetail } from '../data/organization-detail.ts'

type Props = { events: OrganizationDetail['auditEvents'] }

/** What was done and read here, by members, operators and the service. */
export function TrailSection({ events }: Props) {
  const { t } = useLingui()
  const [openId, setOpenId] = useState<string | null>(null)
  if (events.length === 0) return <Empty title={<Trans>No event</Trans>} />
  return (
    <Card isFlush>
      <ol aria-label={t`Events, newest first`} className="-mb-px overflow-hidden rounded-lg">
        {events.map(({ seq, ...event }) => (
          <li key={event.id}>
            <AuditRow
              event={{
                ...event,
                sequence: seq,
                displayName: event.displayName ?? null,
                hash: `0x${event.hash}`,
              }}
              isOpen={openId === event.id}
              onToggle={() => setOpenId(openId === event.id ? null : event.id)}
            />
          </li>
        ))}
      </ol>
    </Card>
  )
}
