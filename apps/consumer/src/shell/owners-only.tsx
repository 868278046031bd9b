import { buttonStyle } from '@countersign/ui/button.tsx'
import { Empty } from '@countersign/ui/page.tsx'
import { Trans } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import { Lock } from 'lucide-react'
import { useOrganization } from '../data/organization.tsx'

/** Instead of a screen that only owners may see. */
export function OwnersOnly() {
  const { id: organizationId } = useOrganization()
  return (
    <Empty
      icon={<Lock aria-hidden="true" />}
      title={<Trans>Only owners can see this</Trans>}
      action={
        <Link
          to="/organizations/$organizationId/people"
          params={{ organizationId }}
          className={buttonStyle({})}
        >
          <Trans>See who the owners are</Trans>
        </Link>
      }
    >
      <Trans>An owner can look for you, or change your role.</Trans>
    </Empty>
  )
}
