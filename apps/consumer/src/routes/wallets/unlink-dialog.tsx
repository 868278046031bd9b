import { useAction } from '@countersign/app-kit/data/actions.ts'
import { ConfirmDialog } from '@countersign/app-kit/shell/confirm-dialog.tsx'
import type { ItemOf } from '@countersign/client/operation-types.ts'
import { Address } from '@countersign/ui/address.tsx'
import { Notice } from '@countersign/ui/notice.tsx'
import { Trans } from '@lingui/react/macro'

export function UnlinkDialog(props: { wallet: ItemOf<'listWallets'>; onClose(): void }) {
  const { wallet, onClose } = props
  const unlink = useAction('unlinkWallet', ['listWallets', 'getAccount', 'listMembers'])
  const confirm = async () => {
    if ((await unlink.run({ path: { walletId: wallet.id } })).ok) onClose()
  }
  const hasRole = unlink.failure?.code === 'state_conflict'
  return (
    <ConfirmDialog
      onClose={onClose}
      title={<Trans>Unlink this wallet?</Trans>}
      confirm={<Trans>Unlink</Trans>}
      isDangerous
      isBusy={unlink.isBusy}
      failure={hasRole ? null : unlink.failure}
      onConfirm={confirm}
    >
      <Address address={wallet.address} />
      <p>
        <Trans>
          It no longer counts as yours, and another account may link it. To link it again, sign with
          it again.
        </Trans>
      </p>
      {hasRole && (
        <Notice tone="warn" isLive>
          <Trans>
            The wallet has a role in an organization. An owner has to end that role first, under
            "People".
          </Trans>
        </Notice>
      )}
    </ConfirmDialog>
  )
}
