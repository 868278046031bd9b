import { usePages } from '@countersign/app-kit/data/queries.ts'
import { AuditRow } from '@countersign/app-kit/shell/audit-row.tsx'
import { ReadView } from '@countersign/app-kit/shell/read-view.tsx'
import { Button } from '@countersign/ui/button.tsx'
import { Card, Empty, Page } from '@countersign/ui/page.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { TrailFilters } from './trail-filters.tsx'

const route = getRouteApi('/signed-in/trail')
const PAGE = 50

/** What belongs to no organization: sessions, operators, searches and other reads across them. */
export function TrailPage() {
  const { t } = useLingui()
  const { actor, action, about, from, to } = route.useSearch()
  const [openId, setOpenId] = useState<string | null>(null)
  const events = usePages('listAdminAuditEvents', 'auditEvents', {
    query: {
      limit: PAGE,
      ...(actor && { actor }),
      ...(action && { action }),
      ...(about && { aggregateId: about }),
      ...(from && { from }),
      ...(to && { to }),
    },
  })
  return (
    <Page
      title={<Trans>Audit trail of the service</Trans>}
      lead={
        <Trans>
          Sessions, operators, changes of services, and what operators read across organizations.
          Looking at it is recorded in it.
        </Trans>
      }
    >
      <TrailFilters />
      <ReadView of={events} lines={8}>
        {() =>
          events.rows.length === 0 ? (
            <Empty title={<Trans>No event matches</Trans>} />
          ) : (
            <Card isFlush>
              <ol
                aria-label={t`Events, newest first`}
                className="-mb-px overflow-hidden rounded-lg"
              >
                {events.rows.map((event) => (
                  <li key={event.id}>
                    <AuditRow
                      event={event}
                      isOpen={openId === event.id}
                      onToggle={() => setOpenId(openId === event.id ? null : event.id)}
                    />
                  </li>
                ))}
              </ol>
            </Card>
          )
        }
      </ReadView>
      {events.hasNextPage && (
        <div className="mt-4 flex justify-center">
          <Button isBusy={events.isFetchingNextPage} onClick={() => void events.fetchNextPage()}>
            <Trans>Show more</Trans>
          </Button>
        </div>
      )}
    </Page>
  )
}
