import { Button, buttonStyle } from '@countersign/ui/button.tsx'
import { Moment } from '@countersign/ui/moment.tsx'
import { Trans } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useOrganization } from '../../data/organization.tsx'
import type { PolicyLists } from '../../data/policy-lists.ts'
import { BlockDialog } from '../../wallet/block-dialog.tsx'
import type { Recipient } from './recipient-row.tsx'
import { standingIn } from './standing.ts'

type Props = { lists: PolicyLists; recipient: Recipient }

/** What one vault says of this recipient, and the step that changes it. */
export function VaultStanding({ lists, recipient: { address, label, active } }: Props) {
  const { id: organizationId } = useOrganization()
  const [open, setOpen] = useState<'block' | 'unblock' | null>(null)
  const { vaultId, vaultLabel, vault } = lists
  const standing = standingIn(lists, address)
  const allowedFrom = lists.pending.get(address.toLowerCase())
  if (standing === 'no_policy' || (standing === 'missing' && !active)) return null
  const name = <bdi>{vaultLabel}</bdi>
  const words: Record<typeof standing, ReactNode> = {
    payable: <Trans>{name} pays this address.</Trans>,
    pending: allowedFrom && (
      <Trans>
        {name} pays this address from <Moment at={allowedFrom} style="full" /> on.
      </Trans>
    ),
    blocked: <Trans>{name} has blocked this address and pays it nothing.</Trans>,
    missing: <Trans>{name} does not list this address, so it cannot pay it.</Trans>,
  }
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 text-sm">
      <p className="min-w-0 flex-1 basis-64">
        {words[standing]}{' '}
        {standing === 'missing' && (
          <Link
            to="/organizations/$organizationId/treasury/$vaultId/recipients"
            params={{ organizationId, vaultId }}
            className={buttonStyle({ look: 'link', size: 'inline' })}
          >
            <Trans>Add it to the list</Trans>
          </Link>
        )}
      </p>
      {(standing === 'payable' || standing === 'pending') && (
        <Button size="small" onClick={() => setOpen('block')}>
          <Trans context="recipient">Block</Trans>
        </Button>
      )}
      {standing === 'blocked' && (
        <Button size="small" onClick={() => setOpen('unblock')}>
          <Trans>Unblock</Trans>
        </Button>
      )}
      {open && (
        <BlockDialog
          kind={open}
          vault={vault}
          address={address}
          name={label}
          onClose={() => setOpen(null)}
        />
      )}
    </div>
  )
}
