import { WALLET_KINDS } from '@countersign/app-kit/words/people.ts'
import type { ItemOf } from '@countersign/client/operation-types.ts'
import { Address } from '@countersign/ui/address.tsx'
import { Button, buttonStyle } from '@countersign/ui/button.tsx'
import { CopyButton } from '@countersign/ui/copy-button.tsx'
import { Mark } from '@countersign/ui/mark.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'

export type OwnWallet = ItemOf<'listWallets'>
type Props = { wallet: OwnWallet; onUnlink(): void }

const STATES = {
  provisioning: 'working',
  failed: 'blocked',
  disabled: 'ended',
} as const

export function WalletRow({ wallet, onUnlink }: Props) {
  const { t, i18n } = useLingui()
  const { kind, chainType, lifecycleStatus, nativeAddress } = wallet
  const isServer = kind === 'server'
  const words = { provisioning: t`Being created`, failed: t`Failed`, disabled: t`Disabled` }
  return (
    <li className="flex flex-wrap items-start gap-x-4 gap-y-3 px-4 py-4 sm:px-5">
      <div className="min-w-0 flex-1 basis-80">
        <p className="flex flex-wrap items-center gap-2">
          {wallet.purpose && <bdi className="font-medium">{wallet.purpose}</bdi>}
          <span className={wallet.purpose ? 'text-muted text-sm' : 'font-medium'}>
            {i18n._(WALLET_KINDS[kind])}
            {chainType === 'solana' && ', Solana'}
          </span>
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
      {isServer ? (
        wallet.customExportAvailable && (
          <Link
            to="/wallets/$walletId/export"
            params={{ walletId: wallet.id }}
            className={buttonStyle({ size: 'small' })}
          >
            <Trans>Export the key</Trans>
          </Link>
        )
      ) : (
        <Button
          size="small"
          reason={chainType === 'solana' ? t`Solana wallets cannot be unlinked.` : undefined}
          onClick={onUnlink}
        >
          <Trans>Unlink</Trans>
        </Button>
      )}
    </li>
  )
}
