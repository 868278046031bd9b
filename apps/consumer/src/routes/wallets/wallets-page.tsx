import { useAllPages } from '@countersign/app-kit/data/all-pages.ts'
import { useRead } from '@countersign/app-kit/data/queries.ts'
import { ReadView } from '@countersign/app-kit/shell/read-view.tsx'
import { Button } from '@countersign/ui/button.tsx'
import { Card, Empty, Page, Section } from '@countersign/ui/page.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import { getRouteApi } from '@tanstack/react-router'
import { Link2, Plus, Wallet } from 'lucide-react'
import { useState } from 'react'
import { CreateWalletDialog } from './create-wallet-dialog.tsx'
import { LinkWalletDialog } from './link-wallet-dialog.tsx'
import { UnlinkDialog } from './unlink-dialog.tsx'
import { type OwnWallet, WalletRow } from './wallet-row.tsx'

const route = getRouteApi('/signed-in/personal/wallets')

type Open = { kind: 'create' | 'link' } | { kind: 'unlink'; wallet: OwnWallet } | null

/** The wallets of the person: linked ones sign, server ones fund. */
export function WalletsPage() {
  const { t } = useLingui()
  const { accountId } = route.useRouteContext()
  const wallets = useAllPages('listWallets', 'wallets', {})
  const me = useRead('getAccount', {})
  const config = useRead('getClientConfig', {})
  const [open, setOpen] = useState<Open>(null)
  const close = () => setOpen(null)
  const features = config.data?.features
  const groups = [
    {
      id: 'linked',
      title: <Trans>Linked wallets</Trans>,
      rows: wallets.rows.filter(({ kind }) => kind !== 'server'),
      empty: (
        <Trans>
          A wallet of yours, such as MetaMask or a hardware wallet, signs approvals and owns vaults.
          Its key never reaches this service.
        </Trans>
      ),
    },
    {
      id: 'server',
      title: <Trans>Server wallets</Trans>,
      rows: wallets.rows.filter(({ kind }) => kind === 'server'),
      empty: (
        <Trans>
          The service holds the key of a server wallet. It can fund vaults by itself, and can
          neither approve payments nor own a vault.
        </Trans>
      ),
    },
  ]
  const actions = {
    linked: (
      <Button
        size="small"
        reason={
          features?.walletLinks === false
            ? t`This deployment does not link wallets by signature. They come from your identity provider.`
            : undefined
        }
        onClick={() => setOpen({ kind: 'link' })}
      >
        <Link2 className="size-4" aria-hidden="true" />
        <Trans>Link a wallet</Trans>
      </Button>
    ),
    server: (
      <Button
        size="small"
        reason={
          features?.walletProvider === null
            ? t`No wallet provider is configured for this deployment.`
            : undefined
        }
        onClick={() => setOpen({ kind: 'create' })}
      >
        <Plus className="size-4" aria-hidden="true" />
        <Trans>Create one</Trans>
      </Button>
    ),
  }
  return (
    <Page width="reading" title={<Trans>Wallets</Trans>}>
      <ReadView of={wallets}>
        {() =>
          groups.map(({ id, title, rows, empty }) => (
            <Section key={id} title={title} actions={actions[id as keyof typeof actions]}>
              {rows.length === 0 ? (
                <Empty icon={<Wallet aria-hidden="true" />} title={<Trans>None yet</Trans>}>
                  {empty}
                </Empty>
              ) : (
                <Card isFlush>
                  <ul className="divide-y divide-line">
                    {rows.map((wallet) => (
                      <WalletRow
                        key={wallet.id}
                        wallet={wallet}
                        onUnlink={() => setOpen({ kind: 'unlink', wallet })}
                      />
                    ))}
                  </ul>
                </Card>
              )}
            </Section>
          ))
        }
      </ReadView>
      {open?.kind === 'create' && me.data && config.data && (
        <CreateWalletDialog
          me={me.data}
          purposeMax={config.data.limits.lengths.walletPurpose}
          onClose={close}
        />
      )}
      {open?.kind === 'link' && config.data && (
        <LinkWalletDialog
          accountId={accountId}
          chainId={config.data.chain.id}
          linked={wallets.rows.map(({ address }) => address)}
          onClose={close}
        />
      )}
      {open?.kind === 'unlink' && <UnlinkDialog wallet={open.wallet} onClose={close} />}
    </Page>
  )
}
