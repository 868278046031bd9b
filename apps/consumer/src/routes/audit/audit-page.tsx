import { usePages } from '@countersign/app-kit/data/queries.ts'
import { AuditRow } from '@countersign/app-kit/shell/audit-row.tsx'
import { ReadView } from '@countersign/app-kit/shell/read-view.tsx'
import { Card, Empty, Page, Section } from '@countersign/ui/page.tsx'
import { VirtualList } from '@countersign/ui/virtual-list.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import { getRouteApi } from '@tanstack/react-router'
import { useCallback, useState } from 'react'
import { useOrganization } from '../../data/organization.tsx'
import { OwnersOnly } from '../../shell/owners-only.tsx'
import { useRowKeys } from '../../shell/use-row-keys.ts'
import { AuditFilters } from './audit-filters.tsx'
import { TrailCheck } from './trail-check.tsx'

const route = getRouteApi('/signed-in/organizations/$organizationId/audit')

const ROW_HEIGHT = 44
const ACTION = /^[a-z_]+[.][a-z_]+$/

/** What was done, by whom, in an order that cannot be changed unnoticed. */
export function AuditPage() {
  const { role } = useOrganization()
  return (
    <Page
      title={<Trans>Audit trail</Trans>}
      lead={
        <Trans>
          Every change in this organization, by members, by the service and by operators of it.
        </Trans>
      }
    >
      {role === 'owner' ? (
        <>
          <TrailCheck />
          <Events />
        </>
      ) : (
        <OwnersOnly />
      )}
    </Page>
  )
}

function Events() {
  const { t } = useLingui()
  const search = route.useSearch()
  const { id: organizationId } = useOrganization()
  const { actor, about, from, to } = search
  // The service refuses half an action, so it is not sent.
  const action = search.action && ACTION.test(search.action) ? search.action : undefined
  const events = usePages('listAuditEvents', 'auditEvents', {
    path: { organizationId },
    query: {
      ...(actor && { actor }),
      ...(action && { action }),
      ...(about && { aggregateId: about }),
      ...(from && { from }),
      ...(to && { to }),
    },
  })
  const [openId, setOpenId] = useState<string | null>(null)
  const list = useRowKeys()
  const { hasNextPage, isFetching, fetchNextPage } = events
  const more = useCallback(() => {
    if (hasNextPage && !isFetching) void fetchNextPage()
  }, [hasNextPage, isFetching, fetchNextPage])
  return (
    <Section title={<Trans>Events</Trans>}>
      <AuditFilters search={search} />
      {search.action && !action && (
        <p role="alert" className="mb-3 text-bad text-sm">
          <Trans>An action is written like expense.created.</Trans>
        </p>
      )}
      <ReadView of={events} lines={8}>
        {() =>
          events.rows.length === 0 ? (
            <Empty title={<Trans>No matching events</Trans>} />
          ) : (
            <Card isFlush>
              <div ref={list} className="-mb-px overflow-hidden rounded-lg">
                <VirtualList
                  items={events.rows}
                  keyOf={({ id }) => id}
                  label={t`Events, newest first`}
                  estimatedHeight={ROW_HEIGHT}
                  onEnd={more}
                >
                  {(event) => (
                    <AuditRow
                      event={event}
                      isOpen={openId === event.id}
                      onToggle={() => setOpenId(openId === event.id ? null : event.id)}
                    />
                  )}
                </VirtualList>
              </div>
            </Card>
          )
        }
      </ReadView>
    </Section>
  )
}
