import { useAction } from '@countersign/app-kit/data/actions.ts'
import { TextField } from '@countersign/ui/field.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import { useOrganization } from '../../data/organization.tsx'
import { FormDialog } from '../../shell/form-dialog.tsx'
import type { Recipient } from './recipient-row.tsx'

export function RenameRecipientDialog({
  recipient,
  onClose,
}: {
  recipient: Recipient
  onClose(): void
}) {
  const { t } = useLingui()
  const { id: organizationId, config } = useOrganization()
  const rename = useAction('renameRecipient', ['listRecipients'])
  const [label, setLabel] = useState(recipient.label)
  const submit = async () => {
    const path = { organizationId, recipientId: recipient.id }
    const renamed = await rename.run({ path, body: { label: label.trim() } })
    if (renamed.ok) onClose()
  }
  return (
    <FormDialog
      title={<Trans>Rename the recipient</Trans>}
      description={<Trans>The address stays. Expenses keep the name they were written with.</Trans>}
      action={<Trans>Rename</Trans>}
      isReady={label.trim() !== '' && label.trim() !== recipient.label}
      isBusy={rename.isBusy}
      failure={rename.failure}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField
        label={t`Name`}
        value={label}
        onChange={(event) => setLabel(event.target.value)}
        maxLength={config.limits.lengths.recipientLabel}
        autoComplete="off"
        required
      />
    </FormDialog>
  )
}
