import { buttonStyle } from '@countersign/ui/button.tsx'
import { Trans } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import { useOrganization } from '../data/organization.tsx'

/** The way on from a place without payments. */
export function PaymentsLink() {
  const { id: organizationId } = useOrganization()
  return (
    <Link
      to="/organizations/$organizationId/activity"
      params={{ organizationId }}
      className={buttonStyle({})}
    >
      <Trans>All payments</Trans>
    </Link>
  )
}
