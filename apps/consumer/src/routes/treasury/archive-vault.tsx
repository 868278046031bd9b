import { useAction } from '@countersign/app-kit/data/actions.ts'
import { FailureNotice } from '@countersign/app-kit/shell/failure-notice.tsx'
import type { DataOf } from '@countersign/client/operation-types.ts'
import { Button } from '@countersign/ui/button.tsx'
import { Dialog } from '@countersign/ui/dialog.tsx'
import { say } from '@countersign/ui/say.ts'
import { Trans, useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import { useOrganization } from '../../data/organization.tsx'
import { DangerRow } from './danger-row.tsx'

export function ArchiveVault({ vault }: { vault: DataOf<'getVault'> }) {
  const { t } = useLingui()
  const { id: organizationId, role } = useOrganization()
  const archive = useAction('archiveVault', ['listVaults', 'getVault', 'getTreasuryOverview'])
  const [isAsking, setAsking] = useState(false)
  const reason =
    role !== 'owner'
      ? t`Only an owner can archive a vault.`
      : vault.archivedAt !== null
        ? t`It is archived already.`
        : vault.isDefault
          ? t`It is the default vault. Make another one the default first.`
          : BigInt(vault.reservedBaseUnits) > 0n
            ? t`Payments from it are not settled yet.`
            : undefined
  const close = () => {
    setAsking(false)
    archive.reset()
  }
  return (
    <DangerRow
      title={<Trans>Archive</Trans>}
      text={
        <Trans>
          No expense can be paid from it any more, and this cannot be undone. Nothing changes on the
          chain: the owner can still withdraw what it holds.
        </Trans>
      }
    >
      <Button reason={reason} onClick={() => setAsking(true)}>
        <Trans>Archive</Trans>
      </Button>
      <Dialog
        isOpen={isAsking}
        onClose={close}
        title={<Trans>Archive this vault?</Trans>}
        actions={
          <>
            <Button onClick={close}>
              <Trans>Cancel</Trans>
            </Button>
            <Button
              look="danger"
              isBusy={archive.isBusy}
              onClick={async () => {
                const done = await archive.run({ path: { organizationId, vaultId: vault.id } })
                if (!done.ok) return
                setAsking(false)
                say(t`The vault is archived.`)
              }}
            >
              <Trans>Archive for good</Trans>
            </Button>
          </>
        }
      >
        <div className="flex flex-col gap-3">
          <p>
            <Trans>
              No expense can be paid from <bdi className="font-medium">{vault.label}</bdi> any more.
              This cannot be undone.
            </Trans>
          </p>
          {BigInt(vault.balanceBaseUnits) > 0n && (
            <p className="text-warn">
              <Trans>
                It still holds money. Withdraw it before or after with the owner's wallet.
              </Trans>
            </p>
          )}
          {archive.failure && <FailureNotice failure={archive.failure} />}
        </div>
      </Dialog>
    </DangerRow>
  )
}
