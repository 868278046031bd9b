import { useAllPages } from '@countersign/app-kit/data/all-pages.ts'
import { ReadView } from '@countersign/app-kit/shell/read-view.tsx'
import { LazyCeremony } from '@countersign/app-kit/wallet-export/lazy-ceremony.tsx'
import { buttonStyle } from '@countersign/ui/button.tsx'
import { Notice } from '@countersign/ui/notice.tsx'
import { Page } from '@countersign/ui/page.tsx'
import { Trans } from '@lingui/react/macro'
import { getRouteApi, Link } from '@tanstack/react-router'

const route = getRouteApi('/signed-in/personal/wallets/$walletId/export')

export function ExportPage() {
  const { walletId } = route.useParams()
  const wallets = useAllPages('listWallets', 'wallets', {})
  const wallet = wallets.rows.find(({ id }) => id === walletId)
  return (
    <Page
      width="reading"
      title={<Trans>Export a key</Trans>}
      back={
        <Link to="/wallets" className={buttonStyle({ look: 'link', size: 'inline' })}>
          <Trans>Wallets</Trans>
        </Link>
      }
    >
      <ReadView of={wallets}>
        {() =>
          wallet?.kind === 'server' && wallet.customExportAvailable ? (
            <LazyCeremony key={walletId} wallet={wallet} realm="consumer" />
          ) : (
            wallets.isComplete && (
              <Notice
                tone="warn"
                title={<Trans>The key of this wallet cannot be exported here</Trans>}
              >
                <Trans>
                  Only server wallets of your own have a key that the service can hand over.
                </Trans>
              </Notice>
            )
          )
        }
      </ReadView>
    </Page>
  )
}
