import { useRead } from '@countersign/app-kit/data/queries.ts'
import { PaymentMark } from '@countersign/app-kit/words/payment-mark.tsx'
import type { DataOf } from '@countersign/client/operation-types.ts'
import { Address } from '@countersign/ui/address.tsx'
import { Moment } from '@countersign/ui/moment.tsx'
import { Money } from '@countersign/ui/money.tsx'
import { Notice } from '@countersign/ui/notice.tsx'
import { Card } from '@countersign/ui/page.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import { useExplorer } from '../../data/explorer.ts'
import { useOrganization } from '../../data/organization.tsx'
import { TellSupport } from '../../shell/tell-support.tsx'
import { CheckItYourself } from './check-it-yourself.tsx'
import { EvidenceLinks } from './evidence-links.tsx'
import { failuresOf } from './links.ts'
import { PaymentActions } from './payment-actions.tsx'
import { PaymentDetails } from './payment-details.tsx'
import { useCheckedLinks } from './use-checked-links.ts'
import { WaitsFor } from './waits-for.tsx'

export type PaymentDetail = DataOf<'getPayment'>
export type Evidence = NonNullable<PaymentDetail['evidence']>

export function PaymentView({ detail }: { detail: PaymentDetail }) {
  const { t } = useLingui()
  const { id: organizationId } = useOrganization()
  const explorer = useExplorer()
  const { payment, receipt, evidence } = detail
  const checked = useCheckedLinks(evidence)
  const expense = useRead('getExpense', {
    path: { organizationId, expenseId: payment.expenseId },
  })
  const { recipientAddress } = payment
  return (
    <div className="flex flex-col gap-4">
      <Card>
        <div className="flex flex-wrap items-start justify-between gap-4">
          <div className="min-w-0">
            <p className="flex flex-wrap items-center gap-3 text-3xl">
              <Money baseUnits={payment.amountBaseUnits} isStrong />
              <PaymentMark state={payment.state} />
            </p>
            <p className="mt-1 text-muted">
              {receipt ? (
                <Trans>
                  left the vault on <Moment at={receipt.confirmedAt} style="full" />
                </Trans>
              ) : (
                <Trans>
                  asked for on <Moment at={payment.createdAt} style="full" />
                </Trans>
              )}
            </p>
            <div className="mt-3">
              <Address
                address={recipientAddress}
                name={expense.data?.revision.recipientLabel}
                explorerUrl={explorer.address(recipientAddress)}
              />
            </div>
          </div>
          <PaymentActions detail={detail} recipientLabel={expense.data?.revision.recipientLabel} />
        </div>
        <WaitsFor detail={detail} />
      </Card>
      {checked?.verdict === 'holds' && (
        <Notice tone="ok" title={<Trans>All links hold</Trans>}>
          <Trans>
            Every hash was computed again in this page and leads to the next link. The page did not
            ask the chain itself: that is what "Check it yourself" is for.
          </Trans>
        </Notice>
      )}
      {checked?.verdict === 'pending' && (
        <Notice tone="info" title={<Trans>Not final on the chain yet</Trans>}>
          <Trans>The links so far hold. The last ones follow when the payment is final.</Trans>
        </Notice>
      )}
      {checked?.verdict === 'fails' && (
        <>
          <Notice tone="bad" isLive title={<Trans>A link does not hold</Trans>}>
            <Trans>
              What left the vault, or what is said about it, is not what was asked for. Contact
              support before you rely on this payment.
            </Trans>
          </Notice>
          <TellSupport
            subject={t`The evidence of a payment does not check out`}
            details={failuresOf(checked)}
            paymentId={payment.id}
          />
        </>
      )}
      {checked && <EvidenceLinks {...{ detail, checked }} expense={expense.data} />}
      <PaymentDetails detail={detail} />
      <CheckItYourself detail={detail} />
    </div>
  )
}
