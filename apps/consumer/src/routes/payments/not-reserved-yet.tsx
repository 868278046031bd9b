import { buttonStyle } from '@countersign/ui/button.tsx'
import { Empty } from '@countersign/ui/page.tsx'
import { Trans } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import { useOrganization } from '../../data/organization.tsx'

export function NotReservedYet() {
  const { id: organizationId } = useOrganization()
  return (
    <Empty
      title={<Trans>There is no such payment, or you are not allowed to see it</Trans>}
      action={
        <Link
          to="/organizations/$organizationId/activity"
          params={{ organizationId }}
          className={buttonStyle({})}
        >
          <Trans>All payments</Trans>
        </Link>
      }
    >
      <Trans>
        A payment begins when its expense is approved. Employees see the payments of their own
        expenses and of those that they approved.
      </Trans>
    </Empty>
  )
}
