import { useAction } from '@countersign/app-kit/data/actions.ts'
import { FailureNotice } from '@countersign/app-kit/shell/failure-notice.tsx'
import { Button } from '@countersign/ui/button.tsx'
import { Dialog } from '@countersign/ui/dialog.tsx'
import { Trans } from '@lingui/react/macro'
import { useState } from 'react'
import { useOrganization } from '../../data/organization.tsx'
import { SecretView } from './secret-view.tsx'
import type { Webhook } from './webhook-kinds.ts'

export function RotateSecretDialog({ webhook, onClose }: { webhook: Webhook; onClose(): void }) {
  const { id: organizationId } = useOrganization()
  const rotate = useAction('rotateWebhookSecret', ['listWebhooks'])
  const [made, setMade] = useState<{ secret: string | null } | null>(null)
  const confirm = async () => {
    const rotated = await rotate.run({ path: { organizationId, webhookId: webhook.id } })
    if (rotated.ok) setMade(rotated.data)
  }
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={made ? <Trans>The new secret</Trans> : <Trans>Rotate the secret?</Trans>}
      actions={
        made ? (
          <Button look="primary" onClick={onClose}>
            <Trans>I have kept it</Trans>
          </Button>
        ) : (
          <>
            <Button onClick={onClose}>
              <Trans>Cancel</Trans>
            </Button>
            <Button look="primary" isBusy={rotate.isBusy} onClick={confirm}>
              <Trans>Rotate</Trans>
            </Button>
          </>
        )
      }
    >
      {made ? (
        <SecretView secret={made.secret} />
      ) : (
        <div className="flex flex-col gap-3">
          <p>
            <Trans>
              For 24 hours, messages are signed with the old and the new secret. Replace it at the
              receiver in that time, and nothing is lost. Rotating again before that ends the oldest
              secret at once.
            </Trans>
          </p>
          {rotate.failure && <FailureNotice failure={rotate.failure} />}
        </div>
      )}
    </Dialog>
  )
}
