import { Postponed } from '@countersign/app-kit/words/postponed.tsx'
import { postponedUntilOf } from '@countersign/app-kit/words/postponed-until.ts'
import { SignatureCount } from '@countersign/app-kit/words/signature-count.tsx'
import { Moment } from '@countersign/ui/moment.tsx'
import { Notice } from '@countersign/ui/notice.tsx'
import { Trans } from '@lingui/react/macro'
import { SignatureList } from '../../approval/signature-list.tsx'
import type { PaymentDetail } from './payment-view.tsx'

/** Why the payment has not left yet: signatures that are missing, or its spending period. */
export function WaitsFor({ detail: { payment, approvals } }: { detail: PaymentDetail }) {
  const { state, requiredApprovals, signedApprovals, deadline } = payment
  const until = postponedUntilOf(payment)
  const isUnsigned = state === 'reserved' && signedApprovals < requiredApprovals
  if (!until && !isUnsigned) return null
  return (
    <div className="mt-4 print:hidden">
      {until && (
        <Notice tone="info" title={<Trans>It waits for the next spending period</Trans>}>
          <Postponed until={until} />
        </Notice>
      )}
      {isUnsigned && (
        <Notice
          tone="info"
          title={<SignatureCount signed={signedApprovals} required={requiredApprovals} />}
        >
          <p className="mb-2">
            <Trans>
              The amount is set aside. Every signature must be there by{' '}
              <Moment at={deadline} style="full" />.
            </Trans>
          </p>
          <SignatureList signed={approvals} />
        </Notice>
      )}
    </div>
  )
}
