import type { DataOf } from '@countersign/client/operation-types.ts'
import { Moment } from '@countersign/ui/moment.tsx'
import { Notice } from '@countersign/ui/notice.tsx'
import { Trans } from '@lingui/react/macro'

/** What happens to the policy that waits if another is signed. */
export function ProposalNotice({ vault }: { vault: DataOf<'getVault'> }) {
  const { proposal } = vault
  if (!proposal) return null
  return (
    <Notice tone="warn" title={<Trans>A policy already waits</Trans>}>
      <Trans>
        It would come into force <Moment at={proposal.activatesAt} />. If you sign another one, it
        replaces the one that waits, and the time begins again.
      </Trans>
    </Notice>
  )
}
