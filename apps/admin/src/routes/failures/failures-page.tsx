import { useRead } from '@countersign/app-kit/data/queries.ts'
import { ReadView } from '@countersign/app-kit/shell/read-view.tsx'
import type { DataOf } from '@countersign/client/operation-types.ts'
import { Card, Empty, Page } from '@countersign/ui/page.tsx'
import { Count, ViewRow, viewStyle } from '@countersign/ui/tabs.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import { getRouteApi, Link } from '@tanstack/react-router'
import { CircleCheckBig } from 'lucide-react'
import { useNews } from '../../data/operator-live.tsx'
import { FAILURE_VIEWS } from '../../search.ts'
import { NewsNotice, ReadAgain } from '../../shell/read-again.tsx'
import { FailureRow } from './failure-row.tsx'

const route = getRouteApi('/signed-in/failures')

type Failures = DataOf<'listFailures'>
const KINDS: readonly string[] = ['payment', 'agent_run']

/** What failed anywhere, and what frees it. */
export function FailuresPage() {
  const failures = useRead('listFailures', {})
  const news = useNews(
    failures,
    ({ aggregateType, severity }) => KINDS.includes(aggregateType) && severity !== 'healthy',
  )
  return (
    <Page
      title={<Trans>Failures</Trans>}
      lead={
        <Trans>
          The last hundred of each kind, newest first. Older ones are found through their
          organization.
        </Trans>
      }
      actions={<ReadAgain of={failures} />}
    >
      <NewsNotice of={failures} count={news.length}>
        <Trans>Something else has failed since you read this.</Trans>
      </NewsNotice>
      <ReadView of={failures} lines={8}>
        {(data) => <Views failures={data} />}
      </ReadView>
    </Page>
  )
}

function Views({ failures }: { failures: Failures }) {
  const { t } = useLingui()
  const { view = 'payments' } = route.useSearch()
  const names = { payments: t`Payments`, attempts: t`Attempts`, analyses: t`Analyses` }
  const { payments, paymentAttempts, analysisRuns, organizations } = failures
  const nameOf = (id: string) => organizations.find((one) => one.id === id)?.name ?? id
  const rows = {
    payments: payments.map((row) => ({
      ...row,
      paymentId: row.id,
      code: row.blockCode,
      baseUnits: row.amountBaseUnits,
    })),
    attempts: paymentAttempts.map((row) => ({ ...row, code: row.errorCode })),
    analyses: analysisRuns.map((row) => ({
      ...row,
      paymentId: row.expenseId,
      code: 'analysis_failed',
      note: row.failureCode,
    })),
  }
  const shown = rows[view]
  return (
    <>
      <ViewRow label={t`Kinds of failures`}>
        {FAILURE_VIEWS.map((id) => (
          <Link
            key={id}
            to="/failures"
            search={{ view: id }}
            className={viewStyle(id === view)}
            aria-current={id === view ? 'page' : undefined}
          >
            {names[id]}
            <Count>{rows[id].length}</Count>
          </Link>
        ))}
      </ViewRow>
      <div className="mt-4">
        {shown.length === 0 ? (
          <Empty
            icon={<CircleCheckBig aria-hidden="true" />}
            title={<Trans>No failure of this kind</Trans>}
          />
        ) : (
          <Card isFlush>
            <ul aria-label={names[view]} className="divide-y divide-line">
              {shown.map((row) => (
                <FailureRow key={row.id} failure={row} name={nameOf(row.organizationId)} />
              ))}
            </ul>
          </Card>
        )}
      </div>
    </>
  )
}
