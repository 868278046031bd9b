import { useAction } from '@countersign/app-kit/data/actions.ts'
import { FailureNotice } from '@countersign/app-kit/shell/failure-notice.tsx'
import { Button, buttonStyle } from '@countersign/ui/button.tsx'
import { say } from '@countersign/ui/say.ts'
import { Trans, useLingui } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { ReleaseDialog } from '../../approval/release-dialog.tsx'
import { isOwnerOrManager, useOrganization } from '../../data/organization.tsx'
import type { PaymentDetail } from './payment-view.tsx'
import { saveProof } from './proof-file.ts'
import { canLookAgain, canRelease } from './what-can-be-done.ts'

type Props = { detail: PaymentDetail; recipientLabel: string | null | undefined }

export function PaymentActions({ detail, recipientLabel }: Props) {
  const { t } = useLingui()
  const organization = useOrganization()
  const { payment } = detail
  const reconciling = useAction('reconcilePayment', ['getPayment', 'listActivity'])
  const [isReleasing, setReleasing] = useState(false)
  const { id: organizationId, config } = organization
  const reason = isOwnerOrManager(organization)
    ? undefined
    : t`An owner or a manager of the organization can do this.`
  const body = { expectedVersion: payment.expenseRevision }
  const { failure } = reconciling
  return (
    <div className="flex flex-col items-start gap-2 print:hidden">
      <div className="flex flex-wrap gap-2">
        {canLookAgain(detail) && (
          <Button
            reason={reason}
            isBusy={reconciling.isBusy}
            onClick={async () => {
              const path = { organizationId, paymentId: payment.id }
              const done = await reconciling.run({ path, body })
              if (done.ok) say(t`The chain is searched for this payment`)
            }}
          >
            <Trans>Look again</Trans>
          </Button>
        )}
        {canRelease(payment, config.features.paymentRelease) && (
          <Button look="primary" reason={reason} onClick={() => setReleasing(true)}>
            <Trans>Release</Trans>
          </Button>
        )}
        <Button onClick={() => saveProof(detail)}>
          <Trans>Download the proof</Trans>
        </Button>
        <Button look="quiet" onClick={() => print()}>
          <Trans>Print</Trans>
        </Button>
        <Link
          to="/organizations/$organizationId/expenses/$expenseId"
          params={{ organizationId, expenseId: payment.expenseId }}
          className={buttonStyle({ look: 'quiet' })}
        >
          <Trans>Expense</Trans>
        </Link>
      </div>
      {failure && <FailureNotice failure={failure} />}
      {isReleasing && (
        <ReleaseDialog
          expenseId={payment.expenseId}
          revision={payment.expenseRevision}
          amountBaseUnits={payment.amountBaseUnits}
          recipient={{ address: payment.recipientAddress, label: recipientLabel }}
          blockCode={payment.blockCode}
          onClose={() => setReleasing(false)}
        />
      )}
      {payment.blockCode && <BlockNote code={payment.blockCode} />}
    </div>
  )
}

const BlockNote = ({ code }: { code: string }) => (
  <p className="text-bad text-sm">
    <Trans>
      Stopped: <span className="font-mono">{code}</span>. The expense says what to do.
    </Trans>
  </p>
)
