import { Card, Empty } from '@countersign/ui/page.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import type { OrganizationDetail } from '../../data/organization-detail.ts'
import { PaymentRow } from './payment-row.tsx'

export function ExpensesSection({ detail }: { detail: OrganizationDetail }) {
  const { t } = useLingui()
  const { organization, expenses } = detail
  if (expenses.length === 0) return <Empty title={<Trans>No expense yet</Trans>} />
  return (
    <Card isFlush>
      <ul aria-label={t`Expenses`} className="divide-y divide-line">
        {expenses.map((expense) => (
          <PaymentRow key={expense.id} organizationId={organization.id} expense={expense} />
        ))}
      </ul>
    </Card>
  )
}
