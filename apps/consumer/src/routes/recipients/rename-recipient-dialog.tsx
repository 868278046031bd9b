import { useAction } from '@countersign/app-kit/data/actions.ts'
import { FailureNotice } from '@countersign/app-kit/shell/failure-notice.tsx'
import { Button } from '@countersign/ui/button.tsx'
import { Dialog } from '@countersign/ui/dialog.tsx'
import { TextField } from '@countersign/ui/field.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import { type FormEvent, useId, useState } from 'react'
import { useOrganization } from '../../data/organization.tsx'
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
  const formId = useId()
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const path = { organizationId, recipientId: recipient.id }
    const renamed = await rename.run({ path, body: { label: label.trim() } })
    if (renamed.ok) onClose()
  }
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={<Trans>Rename the recipient</Trans>}
      description={<Trans>The address stays. Expenses keep the name they were written with.</Trans>}
      actions={
        <>
          <Button onClick={onClose}>
            <Trans>Cancel</Trans>
          </Button>
          <Button
            type="submit"
            form={formId}
            look="primary"
            isBusy={rename.isBusy}
            isDisabled={label.trim() === '' || label.trim() === recipient.label}
          >
            <Trans>Rename</Trans>
          </Button>
        </>
      }
    >
      <form id={formId} onSubmit={submit} className="flex flex-col gap-4">
        <TextField
          label={t`Name`}
          value={label}
          onChange={(event) => setLabel(event.target.value)}
          maxLength={config.limits.lengths.recipientLabel}
          autoComplete="off"
          required
        />
        {rename.failure && <FailureNotice failure={rename.failure} />}
      </form>
    </Dialog>
  )
}
