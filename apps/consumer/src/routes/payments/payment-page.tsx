import { failureOf } from '@countersign/app-kit/data/api.ts'
import { useRead } from '@countersign/app-kit/data/queries.ts'
import { ReadView } from '@countersign/app-kit/shell/read-view.tsx'
import { Page } from '@countersign/ui/page.tsx'
import { Trans } from '@lingui/react/macro'
import { getRouteApi, Link } from '@tanstack/react-router'
import { NotReservedYet } from './not-reserved-yet.tsx'
import { PaymentView } from './payment-view.tsx'

const route = getRouteApi('/signed-in/organizations/$organizationId/payments/$paymentId')

export function PaymentPage() {
  const { organizationId, paymentId } = route.useParams()
  const payment = useRead('getPayment', { path: { organizationId, paymentId } })
  const isMissing = failureOf(payment.error)?.code === 'not_found'
  return (
    <Page
      title={payment.data?.receipt ? <Trans>Why did this leave?</Trans> : <Trans>Payment</Trans>}
      back={
        <Link
          to="/organizations/$organizationId/activity"
          params={{ organizationId }}
          className="text-muted hover:text-text print:hidden"
        >
          <Trans>Payments</Trans>
        </Link>
      }
    >
      {isMissing ? (
        <NotReservedYet />
      ) : (
        <ReadView of={payment} lines={8}>
          {(data) => <PaymentView detail={data} />}
        </ReadView>
      )}
    </Page>
  )
}
