import type { DataOf } from '@countersign/client/operation-types.ts'
import { Moment, useNow } from '@countersign/ui/moment.tsx'
import { Notice } from '@countersign/ui/notice.tsx'
import { Trans } from '@lingui/react/macro'
import { VaultLink } from './treasury-link.tsx'
import { type Proposal, stageOf } from './vault-proposal.ts'

type WaitingProps = { vaultId: string; proposal: Proposal }

/** That a policy waits, and whether it can come into force already. */
export function WaitingPolicy({ vaultId, proposal }: WaitingProps) {
  const { activatesAt, expiresAt, prepared } = proposal
  const stage = stageOf(proposal, useNow())
  const titles = {
    waiting: (
      <Trans>
        A new policy waits. It comes into force <Moment at={activatesAt} />
      </Trans>
    ),
    due: (
      <Trans>
        A new policy is ready to come into force: its waiting time ended on{' '}
        <Moment at={activatesAt} style="full" />
      </Trans>
    ),
    void: (
      <Trans>
        A new policy was not put into force in time, so it became void on{' '}
        <Moment at={expiresAt} style="full" />
      </Trans>
    ),
  }
  return (
    <Notice
      tone={prepared ? 'info' : 'bad'}
      title={titles[stage]}
      actions={
        <VaultLink vaultId={vaultId} look={{ size: 'small' }}>
          <Trans>See what it changes</Trans>
        </VaultLink>
      }
    />
  )
}

/** What happens to the policy that waits if another is signed. */
export function ProposalNotice({ vault }: { vault: DataOf<'getVault'> }) {
  const { proposal } = vault
  const now = useNow()
  const stage = proposal && stageOf(proposal, now)
  if (!proposal || stage === 'void') return null
  return (
    <Notice tone="warn" title={<Trans>A policy already waits</Trans>}>
      {stage === 'due' ? (
        <Trans>
          Its waiting time ended on <Moment at={proposal.activatesAt} style="full" />, so it can
          come into force now. If you sign another one, it replaces the one that waits, and the time
          begins again.
        </Trans>
      ) : (
        <Trans>
          It would come into force <Moment at={proposal.activatesAt} />. If you sign another one, it
          replaces the one that waits, and the time begins again.
        </Trans>
      )}
    </Notice>
  )
}
