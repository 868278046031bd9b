import { useAction } from '@countersign/app-kit/data/actions.ts'
import { ConfirmDialog } from '@countersign/app-kit/shell/confirm-dialog.tsx'
import { Address } from '@countersign/ui/address.tsx'
import { Trans } from '@lingui/react/macro'
import { useOrganization } from '../../data/organization.tsx'
import type { Recipient } from './recipient-row.tsx'

export function DeactivateRecipientDialog({
  recipient,
  onClose,
}: {
  recipient: Recipient
  onClose(): void
}) {
  const { id: organizationId } = useOrganization()
  const deactivate = useAction('deactivateRecipient', ['listRecipients', 'getVault'])
  const confirm = async () => {
    const path = { organizationId, recipientId: recipient.id }
    if ((await deactivate.run({ path })).ok) onClose()
  }
  return (
    <ConfirmDialog
      onClose={onClose}
      title={<Trans>Deactivate this recipient?</Trans>}
      confirm={<Trans>Deactivate</Trans>}
      isDangerous
      isBusy={deactivate.isBusy}
      failure={deactivate.failure}
      onConfirm={confirm}
    >
      <Address address={recipient.address} name={recipient.label} />
      <p>
        <Trans>
          Expenses can no longer name it, and payments to it that have not been sent are blocked.
          This cannot be undone; to pay the address again, add it as a new recipient.
        </Trans>
      </p>
      <p className="text-muted text-sm">
        <Trans>
          A vault keeps listing the address until its owner signs a change of the list. To stop
          payments on the chain at once, block it.
        </Trans>
      </p>
    </ConfirmDialog>
  )
}
