import { PaymentMark } from '@countersign/app-kit/words/payment-mark.tsx'
import { Postponed } from '@countersign/app-kit/words/postponed.tsx'
import { postponedUntilOf } from '@countersign/app-kit/words/postponed-until.ts'
import { SignatureCount } from '@countersign/app-kit/words/signature-count.tsx'
import type { ItemOf } from '@countersign/client/operation-types.ts'
import { ShortAddress } from '@countersign/ui/address.tsx'
import { classes } from '@countersign/ui/classes.ts'
import { Moment } from '@countersign/ui/moment.tsx'
import { Money } from '@countersign/ui/money.tsx'
import { Link } from '@tanstack/react-router'

type Payment = ItemOf<'listActivity'>
type Props = { payment: Payment; isFirst: boolean }

export const PaymentRow = ({ payment, isFirst }: Props) => (
  <div
    className={classes(
      'relative flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-3 hover:bg-hover sm:px-5',
      !isFirst && 'border-line border-t',
    )}
  >
    <div className="min-w-0 flex-1 basis-56">
      <Link
        to="/organizations/$organizationId/payments/$paymentId"
        params={{ organizationId: payment.organizationId, paymentId: payment.id }}
        className="font-medium outline-offset-4 after:absolute after:inset-0"
      >
        <bdi className="line-clamp-1">{payment.purpose}</bdi>
      </Link>
      <p className="flex items-center gap-2 text-muted text-sm">
        <bdi className="truncate">{payment.recipientLabel}</bdi>
        <span className="max-sm:hidden">
          <ShortAddress address={payment.recipientAddress} />
        </span>
      </p>
      <Waiting payment={payment} />
    </div>
    <div className="flex items-center gap-3 max-sm:w-full max-sm:justify-between sm:w-auto">
      <PaymentMark state={payment.state} />
      <span className="w-24 text-muted text-sm max-sm:hidden">
        <Moment at={payment.confirmedAt ?? payment.createdAt} style="date" />
      </span>
      <span className="min-w-28 text-end">
        <Money baseUnits={payment.amountBaseUnits} />
      </span>
    </div>
  </div>
)

/** What it waits for besides the executor. */
function Waiting({ payment }: { payment: Payment }) {
  const { state, signedApprovals: signed, requiredApprovals: required } = payment
  const until = postponedUntilOf(payment)
  if (until) {
    return (
      <p className="text-muted text-sm">
        <Postponed until={until} />
      </p>
    )
  }
  return state === 'reserved' && signed < required ? (
    <p className="text-muted text-sm">
      <SignatureCount signed={signed} required={required} />
    </p>
  ) : null
}
