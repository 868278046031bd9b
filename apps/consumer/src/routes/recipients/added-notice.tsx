import type { DataOf } from '@countersign/client/operation-types.ts'
import { buttonStyle } from '@countersign/ui/button.tsx'
import { Notice } from '@countersign/ui/notice.tsx'
import { Trans } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import { useOrganization } from '../../data/organization.tsx'
import { AddressComparison } from './address-comparison.tsx'

/** What has to happen before the new recipient can be paid, and what the service warned of. */
export function AddedNotice({ recipient }: { recipient: DataOf<'addRecipient'> }) {
  const { id: organizationId } = useOrganization()
  const { label, address, warnings = [] } = recipient
  return (
    <div className="mb-4 flex flex-col gap-3">
      <Notice
        tone="info"
        isLive
        title={
          <Trans>
            <bdi>{label}</bdi> is added
          </Trans>
        }
        actions={
          <Link
            to="/organizations/$organizationId/treasury"
            params={{ organizationId }}
            className={buttonStyle({ size: 'small' })}
          >
            <Trans>Open the treasury</Trans>
          </Link>
        }
      >
        <Trans>
          Expenses can name it now. It can be paid once the owner of the vault has added it to the
          vault's list. That is one small transaction, and voids nothing that is signed.
        </Trans>
      </Notice>
      {warnings.map((warning) => (
        <Notice
          key={warning.existingRecipientId}
          tone="bad"
          isLive
          title={<Trans>The service found an address that looks the same</Trans>}
        >
          <AddressComparison
            address={address}
            label={label}
            existingAddress={warning.existingAddress}
            existingLabel={warning.existingLabel}
          />
        </Notice>
      ))}
    </div>
  )
}
