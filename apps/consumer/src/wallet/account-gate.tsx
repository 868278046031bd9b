/** Lets the person on once the right account of a wallet is connected. */
import { Address } from '@countersign/ui/address.tsx'
import { Button } from '@countersign/ui/button.tsx'
import { Notice } from '@countersign/ui/notice.tsx'
import { Trans } from '@lingui/react/macro'
import type { ReactNode } from 'react'
import { type Address as AccountAddress, getAddress } from 'viem'
import type { UsedWallet } from './use-wallet.ts'
import { WalletChoice } from './wallet-choice.tsx'
import type { AnnouncedWallet } from './wallets.ts'

export type ReadyWallet = { wallet: AnnouncedWallet; account: AccountAddress }

type Props = {
  used: UsedWallet
  /** The accounts that may send. Without them, the wallet's first account does. */
  anyOf?: readonly string[]
  children: (ready: ReadyWallet) => ReactNode
}

export function AccountGate({ used, anyOf, children }: Props) {
  const { connected } = used
  const allowed = anyOf?.map((one) => getAddress(one))
  if (!connected) {
    return (
      <div className="flex flex-col gap-3">
        {allowed && (
          <div>
            <p className="text-muted text-sm">
              {allowed.length === 1 ? (
                <Trans>Connect the wallet with this account:</Trans>
              ) : (
                <Trans>Connect the wallet with one of these accounts:</Trans>
              )}
            </p>
            <AccountList accounts={allowed} />
          </div>
        )}
        <WalletChoice used={used} />
      </div>
    )
  }
  const account = allowed
    ? connected.accounts.find((shown) => allowed.includes(shown))
    : connected.accounts[0]
  if (!account) {
    return (
      <Notice
        tone="warn"
        isLive
        title={<Trans>Another account is connected</Trans>}
        actions={
          <>
            <Button size="small" onClick={() => void used.connect(connected.wallet)}>
              <Trans>Ask the wallet again</Trans>
            </Button>
            <Button size="small" look="quiet" onClick={used.forget}>
              <Trans>Use another wallet</Trans>
            </Button>
          </>
        }
      >
        <p className="mb-2">
          <Trans>It has to be sent by this account. Choose it in your wallet.</Trans>
        </p>
        <AccountList accounts={allowed ?? []} />
        <p className="mt-2">
          <Trans>Your wallet shows:</Trans>
        </p>
        <AccountList accounts={connected.accounts} />
      </Notice>
    )
  }
  return children({ wallet: connected.wallet, account })
}

const AccountList = ({ accounts }: { accounts: readonly string[] }) => (
  <ul className="flex flex-col gap-1">
    {accounts.map((account) => (
      <li key={account}>
        <Address address={account} />
      </li>
    ))}
  </ul>
)
