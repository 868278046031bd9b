import type { ShownApproval } from '@countersign/client/approvals.ts'
import { Address } from '@countersign/ui/address.tsx'
import { buttonStyle } from '@countersign/ui/button.tsx'
import { Notice } from '@countersign/ui/notice.tsx'
import { Card } from '@countersign/ui/page.tsx'
import { Trans } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import { useOrganization } from '../../data/organization.tsx'
import type { UsedWallet } from '../../wallet/use-wallet.ts'
import { WalletChoice } from '../../wallet/wallet-choice.tsx'
import { ownApprovers } from './own-approvers.ts'

type Props = { shown: ShownApproval; used: UsedWallet }

/** Which wallet signs, and what stands in its way. */
export function WalletPanel({ shown, used }: Props) {
  const { id: organizationId, me } = useOrganization()
  const approvers = ownApprovers(me, shown.vault)
  const account = used.connected?.accounts[0]
  const isApprover = approvers.some((each) => each.toLowerCase() === account?.toLowerCase())
  if (approvers.length === 0) {
    return (
      <Notice
        tone="warn"
        title={<Trans>None of your wallets may approve payments from this vault</Trans>}
        actions={
          <Link
            to="/organizations/$organizationId/people"
            params={{ organizationId }}
            className={buttonStyle({ size: 'small' })}
          >
            <Trans>See who can</Trans>
          </Link>
        }
      >
        <Trans>
          An owner can give your wallet the role of an approver, and then list it in a new policy.
        </Trans>
      </Notice>
    )
  }
  return (
    <Card>
      <h2 className="mb-2 font-semibold">
        <Trans>Signing as</Trans>
      </h2>
      {!account && <WalletChoice used={used} />}
      {account && (
        <>
          <Address address={account} name={used.connected?.wallet.info.name} />
          {!isApprover && <OtherAccount account={account} approvers={approvers} />}
        </>
      )}
    </Card>
  )
}

type OtherProps = { account: string; approvers: readonly string[] }

export const OtherAccount = ({ account, approvers }: OtherProps) => (
  <div className="mt-3">
    <Notice tone="warn" isLive title={<Trans>Your wallet shows another account</Trans>}>
      <p>
        <Trans>Your wallet shows</Trans>
      </p>
      <Address address={account} />
      <p className="mt-2">
        <Trans>You approve with</Trans>
      </p>
      {approvers.map((each) => (
        <Address key={each} address={each} />
      ))}
      <p className="mt-2">
        <Trans>Switch to that account in your wallet. This page notices it by itself.</Trans>
      </p>
    </Notice>
  </div>
)
