import { type Member, nameOf } from '@countersign/app-kit/words/people.ts'
import { ShortAddress } from '@countersign/ui/address.tsx'
import { buttonStyle } from '@countersign/ui/button.tsx'
import { Notice } from '@countersign/ui/notice.tsx'
import { Trans } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import { useOrganization } from '../../data/organization.tsx'
import type { PolicyLists } from '../../data/policy-lists.ts'

type Props = {
  policies: readonly PolicyLists[] | undefined
  members: readonly Member[]
  /** What the last change could not undo on chain, as the service said it. */
  notices: readonly string[]
}

/** What the chain still says of people who may no longer sign. */
export function ChainNotices({ policies = [], members, notices }: Props) {
  const { id: organizationId } = useOrganization()
  const holderOf = (address: string) =>
    members.find(({ wallets }) =>
      wallets.some((wallet) => wallet.address.toLowerCase() === address.toLowerCase()),
    )
  const stale = policies.filter(({ extraApprovers }) => extraApprovers.length > 0)
  if (stale.length === 0 && notices.length === 0) return null
  return (
    <div className="mb-5 flex flex-col gap-3">
      {stale.map(({ vaultId, vaultLabel, extraApprovers }) => (
        <Notice
          key={vaultId}
          tone="warn"
          isLive
          title={
            <Trans>
              The vault <bdi>{vaultLabel}</bdi> still accepts approvers who have lost that role
            </Trans>
          }
          actions={
            <Link
              to="/organizations/$organizationId/treasury/$vaultId"
              params={{ organizationId, vaultId }}
              className={buttonStyle({ size: 'small' })}
            >
              <Trans>Take them out</Trans>
            </Link>
          }
        >
          <ul>
            {extraApprovers.map((address) => {
              const holder = holderOf(address)
              return (
                <li key={address} className="flex flex-wrap items-center gap-x-2">
                  {holder && <bdi>{nameOf(holder)}</bdi>}
                  <ShortAddress address={address} />
                </li>
              )
            })}
          </ul>
        </Notice>
      ))}
      {stale.length === 0 &&
        notices.map((notice) => (
          <Notice key={notice} tone="warn" isLive>
            {notice}
          </Notice>
        ))}
    </div>
  )
}
