import { FailureNotice } from '@countersign/app-kit/shell/failure-notice.tsx'
import type { DataOf } from '@countersign/client/operation-types.ts'
import { Button } from '@countersign/ui/button.tsx'
import { useNow } from '@countersign/ui/moment.tsx'
import { Notice } from '@countersign/ui/notice.tsx'
import { Card, Empty } from '@countersign/ui/page.tsx'
import { Plural, Trans } from '@lingui/react/macro'
import { BookUser } from 'lucide-react'
import { DifferenceView } from './difference-view.tsx'
import type { KeptPolicy } from './kept-transactions.ts'
import { changedOnly, differenceOf, isChanged, isRecipientsOnly } from './policy-difference.ts'
import type { PolicyLists } from './policy-terms.ts'
import { RECIPIENT_CHANGES_MAX } from './recipient-step.ts'
import { PolicyLink, RecipientsLink } from './treasury-link.tsx'
import { usePreparePolicy } from './use-prepare-policy.ts'
import { WhenItCounts } from './when-it-counts.tsx'

type Props = {
  vault: DataOf<'getVault'>
  lists: PolicyLists
  names: ReadonlyMap<string, string>
  onPrepared(kept: KeptPolicy): void
}

/** Brings the vault's list of recipients in line with the organization's, and nothing else. */
export function RecipientsEditor({ vault, lists, names, onPrepared }: Props) {
  const prepare = usePreparePolicy(vault, onPrepared)
  const now = useNow()
  const { policy } = vault
  if (!policy || new Date(policy.expiresAt) <= now) {
    return (
      <Empty
        icon={<BookUser aria-hidden="true" />}
        title={policy ? <Trans>The policy has ended</Trans> : <Trans>There is no policy yet</Trans>}
        action={
          <PolicyLink vaultId={vault.id} look={{ look: 'primary' }}>
            <Trans>Set the policy</Trans>
          </PolicyLink>
        }
      >
        <Trans>The next policy brings the list of recipients with it.</Trans>
      </Empty>
    )
  }
  const after = { ...policy, ...lists }
  const difference = differenceOf(policy, after)
  const count = changedOnly(difference).lists.reduce(
    (sum, { field, added, removed }) =>
      field === 'recipientAddresses' ? sum + added.length + removed.length : sum,
    0,
  )
  const isOnly = isRecipientsOnly(difference)
  return (
    <Card>
      {isChanged(difference) ? (
        <div className="flex flex-col gap-4">
          <DifferenceView difference={changedOnly(difference)} names={names} />
          <WhenItCounts vault={vault} difference={difference} />
          {!isOnly && (
            <Notice
              tone="warn"
              title={<Trans>This changes more than the recipients</Trans>}
              actions={
                <PolicyLink vaultId={vault.id} look={{ size: 'small' }}>
                  <Trans>Open the policy</Trans>
                </PolicyLink>
              }
            >
              <Trans>
                The approvers or the executor of the organization are not those of the policy, so a
                new version is signed, and approvals that wait have to be signed again.
              </Trans>
            </Notice>
          )}
          {count > RECIPIENT_CHANGES_MAX && (
            <Notice
              tone="info"
              title={
                <Plural
                  value={Math.ceil(count / RECIPIENT_CHANGES_MAX)}
                  one="It takes # transaction"
                  other="It takes # transactions, one after the other"
                />
              }
            />
          )}
          {prepare.failure && <FailureNotice failure={prepare.failure} />}
          <Button
            look="primary"
            size="large"
            wide
            isBusy={prepare.isBusy}
            onClick={() => void prepare.run(policy, after)}
          >
            <Trans>Prepare for signing</Trans>
          </Button>
          <p className="text-muted text-sm">
            {isOnly ? (
              <Trans>
                The policy keeps its version, and approvals that wait stay valid. Nothing happens on
                the chain until your wallet has signed it.
              </Trans>
            ) : (
              <Trans>Nothing happens on the chain until your wallet has signed it.</Trans>
            )}
          </p>
        </div>
      ) : (
        <Empty
          icon={<BookUser aria-hidden="true" />}
          title={<Trans>The vault lists every active recipient</Trans>}
          action={
            <RecipientsLink look={{ look: 'secondary' }}>
              <Trans>Open the recipients</Trans>
            </RecipientsLink>
          }
        >
          <Trans>
            Add or deactivate recipients there. Here the owner of the vault signs what changed.
          </Trans>
        </Empty>
      )}
    </Card>
  )
}
