import { useAction } from '@countersign/app-kit/data/actions.ts'
import { ConfirmDialog } from '@countersign/app-kit/shell/confirm-dialog.tsx'
import { Trans } from '@lingui/react/macro'
import { useOrganization } from '../../data/organization.tsx'
import type { Webhook } from './webhook-kinds.ts'

export function DeleteWebhookDialog({ webhook, onClose }: { webhook: Webhook; onClose(): void }) {
  const { id: organizationId } = useOrganization()
  const remove = useAction('deleteWebhook', ['listWebhooks'])
  const confirm = async () => {
    if ((await remove.run({ path: { organizationId, webhookId: webhook.id } })).ok) onClose()
  }
  return (
    <ConfirmDialog
      onClose={onClose}
      title={<Trans>Delete this webhook?</Trans>}
      confirm={<Trans>Delete</Trans>}
      isDangerous
      isBusy={remove.isBusy}
      failure={remove.failure}
      onConfirm={confirm}
    >
      <p className="break-all font-mono text-sm">{webhook.url}</p>
      <p>
        <Trans>
          Nothing more is sent there. Its secret and the list of deliveries are deleted.
        </Trans>
      </p>
    </ConfirmDialog>
  )
}
