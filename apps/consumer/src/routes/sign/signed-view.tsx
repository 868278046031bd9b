import { useRead } from '@countersign/app-kit/data/queries.ts'
import { ReadView } from '@countersign/app-kit/shell/read-view.tsx'
import { buttonStyle } from '@countersign/ui/button.tsx'
import { Notice } from '@countersign/ui/notice.tsx'
import { Plural, Trans } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import { useOrganization } from '../../data/organization.tsx'
import { SignedProgress } from './signed-progress.tsx'
import { useFocusHere } from './use-focus-here.ts'

type Props = { paymentId: string; expenseId: string; isNews: boolean }

/** Signed: set aside, sent, on the chain. It follows the live stream, and survives a reload. */
export function SignedView({ paymentId, expenseId, isNews }: Props) {
  const here = useFocusHere()
  const { id: organizationId } = useOrganization()
  const payment = useRead('getPayment', { path: { organizationId, paymentId } })
  const { requiredApprovals = 0, signedApprovals = 0 } = payment.data?.payment ?? {}
  const missing = requiredApprovals - signedApprovals
  return (
    <div ref={here} tabIndex={-1} className="flex flex-col gap-4 outline-none">
      {isNews && (
        <Notice tone="ok" isLive title={<Trans>You have approved this payment</Trans>}>
          {missing > 0 ? (
            <Plural
              value={missing}
              one="It is paid when one more approver has signed. You can leave this page."
              other="It is paid when # more approvers have signed. You can leave this page."
            />
          ) : (
            <Trans>You can leave this page. What follows happens by itself.</Trans>
          )}
        </Notice>
      )}
      <ReadView of={payment}>{(detail) => <SignedProgress detail={detail} />}</ReadView>
      <div className="flex flex-wrap gap-2">
        <Link
          to="/organizations/$organizationId/payments/$paymentId"
          params={{ organizationId, paymentId }}
          className={buttonStyle({})}
        >
          <Trans>Open the payment</Trans>
        </Link>
        <Link
          to="/organizations/$organizationId/expenses/$expenseId"
          params={{ organizationId, expenseId }}
          className={buttonStyle({})}
        >
          <Trans>Open the expense</Trans>
        </Link>
        <Link
          to="/organizations/$organizationId"
          params={{ organizationId }}
          className={buttonStyle({ look: 'quiet' })}
        >
          <Trans>Inbox</Trans>
        </Link>
      </div>
    </div>
  )
}
