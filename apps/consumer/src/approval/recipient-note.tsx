import type { DataOf } from '@countersign/client/operation-types.ts'
import { Moment } from '@countersign/ui/moment.tsx'
import { Trans } from '@lingui/react/macro'
import { type RecipientStanding, recipientStanding } from './recipient-standing.ts'

type Props = { vault: DataOf<'getVault'> | null | undefined; address: string }

/** Why the vault would not pay the recipient now. Nothing if it would. */
export function RecipientNote({ vault, address }: Props) {
  const standing = vault ? recipientStanding(vault, address) : null
  if (!standing || standing.kind === 'payable') return null
  return (
    <p className="text-sm text-warn">
      <Why standing={standing} />
    </p>
  )
}

function Why({ standing }: { standing: Exclude<RecipientStanding, { kind: 'payable' }> }) {
  switch (standing.kind) {
    case 'blocked':
      return (
        <Trans>
          The vault has blocked this recipient. It cannot be paid until the owner lifts the block.
        </Trans>
      )
    case 'has_role':
      return (
        <Trans>
          This is the executor or an approver, and the vault pays neither. Choose another recipient.
        </Trans>
      )
    case 'later':
      return (
        <Trans>
          The vault pays this recipient from <Moment at={standing.from} style="full" /> on.
        </Trans>
      )
    case 'unlisted':
      return (
        <Trans>Not in the vault's list yet. An owner has to add it before it can be paid.</Trans>
      )
  }
}
