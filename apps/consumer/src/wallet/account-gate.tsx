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
  /** The account that must send. Without it, the wallet's first account does. */
  account?: string
  children: (ready: ReadyWallet) => ReactNode
}

export function AccountGate({ used, account, children }: Props) {
  const { connected } = used
  if (!connected) {
    return (
      <div className="flex flex-col gap-3">
        {account && (
          <div>
            <p className="text-muted text-sm">
              <Trans>Connect the wallet with this account:</Trans>
            </p>
            <Address address={account} />
          </div>
        )}
        <WalletChoice used={used} />
      </div>
    )
  }
  const wanted = account ? getAddress(account) : connected.accounts[0]
  if (!wanted || !connected.accounts.includes(wanted)) {
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
          <Trans>Only this account can send it. Choose it in your wallet.</Trans>
        </p>
        {wanted && <Address address={wanted} />}
        <p className="mt-2">
          <Trans>Your wallet shows:</Trans>
        </p>
        <ul>
          {connected.accounts.map((shown) => (
            <li key={shown}>
              <Address address={shown} />
            </li>
          ))}
        </ul>
      </Notice>
    )
  }
  return children({ wallet: connected.wallet, account: wanted })
}
