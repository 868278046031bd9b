import { useRead } from '@countersign/app-kit/data/queries.ts'
import { ReadView } from '@countersign/app-kit/shell/read-view.tsx'
import type { DataOf } from '@countersign/client/operation-types.ts'
import { buttonStyle } from '@countersign/ui/button.tsx'
import { Notice } from '@countersign/ui/notice.tsx'
import { Plural, Trans } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import { useOrganization } from '../../data/organization.tsx'
import { awaitedOf } from './progress.ts'
import { SignedProgress } from './signed-progress.tsx'
import { useFocusHere } from './use-focus-here.ts'

type Props = { paymentId: string; expenseId: string; isNews: boolean }

/** Signed: set aside, sent, on the chain. It follows the live stream, and survives a reload. */
export function SignedView({ paymentId, expenseId, isNews }: Props) {
  const here = useFocusHere()
  const { id: organizationId } = useOrganization()
  const payment = useRead('getPayment', { path: { organizationId, paymentId } })
  return (
    <div ref={here} tabIndex={-1} className="flex flex-col gap-4 outline-none">
      {isNews && (
        <Notice tone="ok" isLive title={<Trans>You have approved this payment</Trans>}>
          {payment.data && <WhatFollows payment={payment.data.payment} />}
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

function WhatFollows({ payment }: Pick<DataOf<'getPayment'>, 'payment'>) {
  const { config } = useOrganization()
  const missing = payment.requiredApprovals - payment.signedApprovals
  switch (awaitedOf(payment, config.features.paymentRelease)) {
    case 'signatures':
      return (
        <Plural
          value={missing}
          one="It is paid when one more approver has signed. You can leave this page."
          other="It is paid when # more approvers have signed. You can leave this page."
        />
      )
    case 'signatures_and_release':
      return (
        <Plural
          value={missing}
          one="It can be released when one more approver has signed. You can leave this page."
          other="It can be released when # more approvers have signed. You can leave this page."
        />
      )
    case 'release':
      return (
        <Trans>You can leave this page. An owner or a manager releases the payment next.</Trans>
      )
    case 'nothing':
      return <Trans>You can leave this page. What follows happens by itself.</Trans>
  }
}
