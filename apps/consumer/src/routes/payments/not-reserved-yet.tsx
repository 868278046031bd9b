import { Empty } from '@countersign/ui/page.tsx'
import { Trans } from '@lingui/react/macro'
import { PaymentsLink } from '../../shell/payments-link.tsx'

export function NotReservedYet() {
  return (
    <Empty
      title={<Trans>There is no such payment, or you are not allowed to see it</Trans>}
      action={<PaymentsLink />}
    >
      <Trans>
        A payment begins when its expense is approved. Employees see the payments of their own
        expenses and of those that they approved.
      </Trans>
    </Empty>
  )
}
