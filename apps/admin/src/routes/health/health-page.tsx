import { useLive } from '@countersign/app-kit/data/live.tsx'
import { useRead } from '@countersign/app-kit/data/queries.ts'
import { ReadView } from '@countersign/app-kit/shell/read-view.tsx'
import type { DataOf } from '@countersign/client/operation-types.ts'
import { Moment } from '@countersign/ui/moment.tsx'
import { Card, Page, Section } from '@countersign/ui/page.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import { useNews } from '../../data/operator-live.tsx'
import { NewsNotice, ReadAgain } from '../../shell/read-again.tsx'
import { SeverityMark } from '../../words/severity-mark.tsx'
import { type ChangeOfService, changesOf } from './changes.ts'
import { HistoryStrip } from './history-strip.tsx'
import { endOf, healthyPermille, segmentsOf, startOf } from './segments.ts'

const DAYS = 7
const DAY_MS = 86_400_000
const CHANGES_READ = 200
const CHANGES_SHOWN = 20

type Integration = DataOf<'getIntegrationsStatus'>['integrations'][number]

/** What the deployment depends on: how it is, and how it was. */
export function HealthPage() {
  const status = useRead('getIntegrationsStatus', {})
  const trail = useRead('listAdminAuditEvents', {
    query: { action: 'service.changed', limit: CHANGES_READ },
  })
  const news = useNews(status, ({ aggregateType }) => aggregateType === 'service')
  const both = {
    ...status,
    refetch: async () => {
      await Promise.all([status.refetch(), trail.refetch()])
    },
  }
  const changes = changesOf(trail.data?.auditEvents ?? [])
  return (
    <Page title={<Trans>Health</Trans>} actions={<ReadAgain of={both} />}>
      <NewsNotice of={both} count={news.length}>
        <Trans>A service has changed since you read this.</Trans>
      </NewsNotice>
      <ReadView of={status} lines={8}>
        {({ integrations }) => (
          <Integrations
            integrations={integrations}
            changes={changes}
            readAt={status.dataUpdatedAt}
            goesOn={trail.data?.nextCursor != null}
          />
        )}
      </ReadView>
      <ReadView of={trail}>{() => <Changes changes={changes} />}</ReadView>
    </Page>
  )
}

type ListProps = {
  integrations: readonly Integration[]
  changes: readonly ChangeOfService[]
  readAt: number
  /** There are older changes, which were not read. */
  goesOn: boolean
}

function Integrations({ integrations, changes, readAt, goesOn }: ListProps) {
  const { t, i18n } = useLingui()
  const { snapshot } = useLive()
  const end = endOf(changes, readAt)
  const start = startOf(changes, { end, ms: DAYS * DAY_MS, goesOn })
  const isWhole = start === end - DAYS * DAY_MS
  const percent = new Intl.NumberFormat(i18n.locale, {
    style: 'percent',
    maximumFractionDigits: 1,
  })
  return (
    <Card isFlush>
      <ul aria-label={t`Services`} className="divide-y divide-line">
        {integrations.map((one) => {
          const live = snapshot?.services.find(({ id }) => id === one.id)
          const segments = segmentsOf(
            changes.filter(({ serviceId }) => serviceId === one.id),
            { start, end, now: one.severity },
          )
          return (
            <li key={one.id} className="px-4 py-4 sm:px-5">
              <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
                <span className="min-w-0 flex-1 basis-40">
                  <span className="font-medium">{one.name}</span>
                  <span className="ms-2 text-muted text-sm">{one.provider}</span>
                </span>
                {live?.latencyMs != null && (
                  <span className="figures text-muted text-sm">
                    <Trans>{live.latencyMs} ms</Trans>
                  </span>
                )}
                {live?.heartbeatAgeSeconds != null && (
                  <span className="figures text-muted text-sm">
                    <Trans>heartbeat {live.heartbeatAgeSeconds} s ago</Trans>
                  </span>
                )}
                {one.configured ? (
                  <SeverityMark severity={one.severity} />
                ) : (
                  <span className="text-muted text-sm">
                    <Trans>not configured</Trans>
                  </span>
                )}
              </div>
              <p className="mt-1 mb-2 text-muted text-sm">
                {one.summary}
                {live?.code && <span className="ms-2 font-mono">{live.code}</span>}
                <span className="ms-2">
                  <Trans>
                    checked <Moment at={one.checkedAt} />
                  </Trans>
                </span>
              </p>
              <HistoryStrip segments={segments} name={one.name} />
              <p className="figures mt-1 flex justify-between text-muted text-xs">
                <span>
                  {isWhole ? (
                    <Trans>{DAYS} days ago</Trans>
                  ) : (
                    <Moment at={new Date(start).toISOString()} style="full" />
                  )}
                </span>
                <span>
                  <Trans>{percent.format(healthyPermille(segments) / 1000)} healthy</Trans>
                </span>
                <span>
                  <Trans>now</Trans>
                </span>
              </p>
            </li>
          )
        })}
      </ul>
    </Card>
  )
}

function Changes({ changes }: { changes: readonly ChangeOfService[] }) {
  const { t } = useLingui()
  return (
    <Section title={<Trans>Changes</Trans>}>
      {changes.length === 0 ? (
        <p className="text-muted">
          <Trans>No service has changed since this deployment began.</Trans>
        </p>
      ) : (
        <Card isFlush>
          <ol aria-label={t`Changes, newest first`} className="divide-y divide-line">
            {changes.slice(0, CHANGES_SHOWN).map((change) => (
              <li
                key={change.id}
                className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2.5 text-sm sm:px-5"
              >
                <span className="min-w-0 flex-1 basis-40 font-mono">{change.serviceId}</span>
                {change.code && <span className="font-mono text-muted">{change.code}</span>}
                <SeverityMark severity={change.to} />
                <span className="text-muted sm:w-44 sm:text-end">
                  <Moment at={change.at} style="full" />
                </span>
              </li>
            ))}
          </ol>
        </Card>
      )}
    </Section>
  )
}
