import { useAllPages } from '@countersign/app-kit/data/all-pages.ts'
import { ReadView } from '@countersign/app-kit/shell/read-view.tsx'
import type { ItemOf } from '@countersign/client/operation-types.ts'
import { Address } from '@countersign/ui/address.tsx'
import { Button, buttonStyle } from '@countersign/ui/button.tsx'
import { CopyButton } from '@countersign/ui/copy-button.tsx'
import { Mark } from '@countersign/ui/mark.tsx'
import { Card, Empty, Page } from '@countersign/ui/page.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import { Plus, Wallet } from 'lucide-react'
import { useState } from 'react'
import { CreateWalletDialog } from './create-wallet-dialog.tsx'

type OwnWallet = ItemOf<'listAdminWallets'>
const STATES = { provisioning: 'working', failed: 'blocked', disabled: 'ended' } as const

/** Wallets of the operator, such as one that gives executors gas. Not of any customer. */
export function WalletsPage() {
  const { t } = useLingui()
  const wallets = useAllPages('listAdminWallets', 'wallets', {})
  const [isCreating, setCreating] = useState(false)
  return (
    <Page
      width="reading"
      title={<Trans>Your wallets</Trans>}
      lead={
        <Trans>
          Server wallets of your own, for instance to send gas to executors. They cannot approve or
          make payments of a customer.
        </Trans>
      }
      actions={
        <Button onClick={() => setCreating(true)}>
          <Plus className="size-4" aria-hidden="true" />
          <Trans>Make one</Trans>
        </Button>
      }
    >
      <ReadView of={wallets}>
        {() =>
          wallets.rows.length === 0 ? (
            <Empty icon={<Wallet aria-hidden="true" />} title={<Trans>None yet</Trans>}>
              <Trans>
                The service holds the key, and hands it over to you once if you ask for it.
              </Trans>
            </Empty>
          ) : (
            <Card isFlush>
              <ul aria-label={t`Your wallets`} className="divide-y divide-line">
                {wallets.rows.map((wallet) => (
                  <WalletRow key={wallet.id} wallet={wallet} />
                ))}
              </ul>
            </Card>
          )
        }
      </ReadView>
      {isCreating && <CreateWalletDialog onClose={() => setCreating(false)} />}
    </Page>
  )
}

function WalletRow({ wallet }: { wallet: OwnWallet }) {
  const { t } = useLingui()
  const { lifecycleStatus, nativeAddress, chainType } = wallet
  const words = { provisioning: t`Being made`, failed: t`Failed`, disabled: t`Disabled` }
  return (
    <li className="flex flex-wrap items-start gap-x-4 gap-y-3 px-4 py-4 sm:px-5">
      <div className="min-w-0 flex-1 basis-80">
        <p className="flex flex-wrap items-center gap-2">
          <bdi className="font-medium">{wallet.purpose}</bdi>
          {chainType === 'solana' && <span className="text-muted text-sm">Solana</span>}
          {lifecycleStatus && lifecycleStatus !== 'active' && (
            <Mark kind={STATES[lifecycleStatus]}>{words[lifecycleStatus]}</Mark>
          )}
        </p>
        {nativeAddress ? (
          <p className="flex items-center gap-2 font-mono text-sm">
            <span className="break-all">{nativeAddress}</span>
            <CopyButton text={nativeAddress} label={t`Copy the address`} />
          </p>
        ) : (
          <Address address={wallet.address} />
        )}
      </div>
      {wallet.customExportAvailable && (
        <Link
          to="/wallets/$walletId/export"
          params={{ walletId: wallet.id }}
          className={buttonStyle({ size: 'small' })}
        >
          <Trans>Export the key</Trans>
        </Link>
      )}
    </li>
  )
}
