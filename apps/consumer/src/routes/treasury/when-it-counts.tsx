import type { DataOf } from '@countersign/client/operation-types.ts'
import { Notice } from '@countersign/ui/notice.tsx'
import { Trans } from '@lingui/react/macro'
import { isRecipientsOnly, type PolicyDifference } from './policy-difference.ts'
import { Duration } from './policy-limit-words.tsx'

type Props = {
  vault: Pick<DataOf<'getVault'>, 'changeDelaySeconds' | 'policy'>
  difference: PolicyDifference
}

/** Whether the change waits after it is signed. A vault's first policy and recipients never do. */
export function WhenItCounts({ vault, difference }: Props) {
  const seconds = vault.changeDelaySeconds
  if (seconds === 0 || !vault.policy) return null
  const list = difference.lists.find(({ field }) => field === 'recipientAddresses')
  const wait = <Duration seconds={seconds} />
  return (
    <Notice
      tone="info"
      title={
        isRecipientsOnly(difference) ? (
          list?.added.length ? (
            <Trans>New recipients can be paid after {wait}</Trans>
          ) : (
            <Trans>Removals take effect at once</Trans>
          )
        ) : (
          <Trans>The policy comes into force after {wait}</Trans>
        )
      }
    >
      {!isRecipientsOnly(difference) && (
        <Trans>
          Until then the policy of today stays, and the owner or any of its approvers can stop the
          new one.
        </Trans>
      )}
      {!isRecipientsOnly(difference) && list && list.removed.length > 0 && (
        <>
          {' '}
          <Trans>Recipients are removed at once.</Trans>
        </>
      )}
    </Notice>
  )
}
