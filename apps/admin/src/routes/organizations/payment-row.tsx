import { blockWords } from '@countersign/app-kit/words/block-codes.ts'
import { PaymentMark } from '@countersign/app-kit/words/payment-mark.tsx'
import { ExpenseMark } from '@countersign/app-kit/words/state-mark.tsx'
import { Moment } from '@countersign/ui/moment.tsx'
import { Money } from '@countersign/ui/money.tsx'
import { useLingui } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import type { OrganizationDetail } from '../../data/organization-detail.ts'
import { PaymentWaits } from '../../subjects/payment-waits.tsx'

type Expense = OrganizationDetail['expenses'][number]
type Payment = OrganizationDetail['payments'][number]
type Props = {
  organizationId: string
  /** Missing where it is older than what is shown. */
  expense?: Expense | undefined
  payment?: Payment | undefined
  /** It was sent minutes ago, and the chain has not mined it. */
  isUnmined?: boolean
}

/** An expense or its payment. Both open the same story. */
export function PaymentRow({ organizationId, expense, payment, isUnmined = false }: Props) {
  const { t, i18n } = useLingui()
  const paymentId = payment?.id ?? expense?.paymentId
  if (!paymentId) return null
  const amount = payment?.amountBaseUnits ?? expense?.revision.amountBaseUnits ?? '0'
  const code = payment?.blockCode ?? expense?.blockCode ?? null
  return (
    <li>
      <Link
        to="/organizations/$organizationId/payments/$paymentId"
        params={{ organizationId, paymentId }}
        className="press flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-3 hover:bg-hover sm:px-5"
      >
        <span className="min-w-0 flex-1 basis-64">
          <bdi className="block truncate font-medium">
            {expense?.revision.purpose ?? t`Payment of an older expense`}
          </bdi>
          <span className="block truncate text-muted text-sm">
            <bdi>{expense?.revision.recipientLabel ?? payment?.recipientAddress}</bdi>
            {code && ` · ${i18n._(blockWords(code).why)}`}
            {isUnmined && ` · ${t`The chain has not mined it.`}`}
          </span>
          {payment && <PaymentWaits payment={payment} />}
        </span>
        {payment ? (
          <PaymentMark state={payment.state} />
        ) : (
          expense && <ExpenseMark state={expense.state} />
        )}
        <span className="sm:w-32 sm:text-end">
          <Money baseUnits={amount} />
        </span>
        <span className="text-muted text-sm sm:w-28 sm:text-end">
          <Moment at={payment?.updatedAt ?? expense?.updatedAt ?? ''} />
        </span>
      </Link>
    </li>
  )
}
