import { Card, Empty } from '@countersign/ui/page.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import type { OrganizationDetail } from '../../data/organization-detail.ts'
import { PaymentRow } from './payment-row.tsx'

export function PaymentsSection({ detail }: { detail: OrganizationDetail }) {
  const { t } = useLingui()
  const { organization, payments, expenses } = detail
  if (payments.length === 0) return <Empty title={<Trans>No payment yet</Trans>} />
  return (
    <Card isFlush>
      <ul aria-label={t`Payments`} className="divide-y divide-line">
        {payments.map((payment) => (
          <PaymentRow
            key={payment.id}
            organizationId={organization.id}
            payment={payment}
            expense={expenses.find(({ id }) => id === payment.expenseId)}
          />
        ))}
      </ul>
    </Card>
  )
}
