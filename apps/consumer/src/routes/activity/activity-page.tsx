import { failureOf } from '@countersign/app-kit/data/api.ts'
import { usePages } from '@countersign/app-kit/data/queries.ts'
import { FailureNotice } from '@countersign/app-kit/shell/failure-notice.tsx'
import { buttonStyle } from '@countersign/ui/button.tsx'
import { Card, Empty, Page, Skeleton } from '@countersign/ui/page.tsx'
import { VirtualList } from '@countersign/ui/virtual-list.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import { getRouteApi, Link } from '@tanstack/react-router'
import { ArrowLeftRight } from 'lucide-react'
import { useOrganization } from '../../data/organization.tsx'
import { PaymentsLink } from '../../shell/payments-link.tsx'
import { ExportPayments } from './export-payments.tsx'
import { PaymentRow } from './payment-row.tsx'
import { PeriodFilter } from './period-filter.tsx'
import { UnrecordedPayments } from './unrecorded-payments.tsx'

const route = getRouteApi('/signed-in/organizations/$organizationId/activity')
const ROW_HEIGHT = 76

export function ActivityPage() {
  const { t } = useLingui()
  const { id: organizationId } = useOrganization()
  const { from, to } = route.useSearch()
  const list = usePages('listActivity', 'payments', {
    path: { organizationId },
    query: { limit: 100, ...(from && { from }), ...(to && { to }) },
  })
  const failure = failureOf(list.error)
  const isFiltered = Boolean(from ?? to)
  return (
    <Page title={<Trans>Payments</Trans>} actions={<ExportPayments from={from} to={to} />}>
      <UnrecordedPayments />
      <PeriodFilter from={from} to={to} />
      {failure && (
        <div className="mb-4">
          <FailureNotice failure={failure} onRetry={() => void list.refetch()} />
        </div>
      )}
      {list.isPending && (
        <div role="status" aria-label={t`Loading`}>
          <Skeleton lines={6} />
        </div>
      )}
      {list.data && list.rows.length === 0 && <NoPayments isFiltered={isFiltered} />}
      {list.rows.length > 0 && (
        <Card isFlush>
          <VirtualList
            items={list.rows}
            keyOf={(payment) => payment.id}
            label={t`Payments, the newest first`}
            estimatedHeight={ROW_HEIGHT}
            onEnd={() => {
              if (list.hasNextPage && !list.isFetchingNextPage) void list.fetchNextPage()
            }}
          >
            {(payment, index) => <PaymentRow payment={payment} isFirst={index === 0} />}
          </VirtualList>
        </Card>
      )}
      {list.isFetchingNextPage && (
        <p role="status" className="py-4 text-center text-muted">
          <Trans>Loading more.</Trans>
        </p>
      )}
    </Page>
  )
}

function NoPayments({ isFiltered }: { isFiltered: boolean }) {
  const { id: organizationId } = useOrganization()
  return isFiltered ? (
    <Empty title={<Trans>No payments in this period</Trans>} action={<PaymentsLink />} />
  ) : (
    <Empty
      icon={<ArrowLeftRight aria-hidden="true" />}
      title={<Trans>No payments yet</Trans>}
      action={
        <Link
          to="/organizations/$organizationId/expenses/new"
          params={{ organizationId }}
          className={buttonStyle({})}
        >
          <Trans>New expense</Trans>
        </Link>
      }
    >
      <Trans>
        When an expense is approved, its payment appears here with everything that led to it.
      </Trans>
    </Empty>
  )
}
