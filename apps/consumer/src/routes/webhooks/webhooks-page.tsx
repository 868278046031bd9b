import { useRead } from '@countersign/app-kit/data/queries.ts'
import { ReadView } from '@countersign/app-kit/shell/read-view.tsx'
import { Button } from '@countersign/ui/button.tsx'
import { Empty, Page } from '@countersign/ui/page.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import { Plus, Webhook as WebhookIcon } from 'lucide-react'
import { useState } from 'react'
import { useOrganization } from '../../data/organization.tsx'
import { OwnersOnly } from '../../shell/owners-only.tsx'
import { CreateWebhookDialog } from './create-webhook-dialog.tsx'
import { DeleteWebhookDialog } from './delete-webhook-dialog.tsx'
import { RotateSecretDialog } from './rotate-secret-dialog.tsx'
import { WebhookCard } from './webhook-card.tsx'
import type { Webhook } from './webhook-kinds.ts'

type Open = { kind: 'create' } | { kind: 'rotate' | 'delete'; webhook: Webhook } | null

export function WebhooksPage() {
  const { t } = useLingui()
  const { id: organizationId, role, config } = useOrganization()
  const isOwner = role === 'owner'
  const webhooks = useRead('listWebhooks', { path: { organizationId } }, { isEnabled: isOwner })
  const [open, setOpen] = useState<Open>(null)
  const close = () => setOpen(null)
  const most = config.limits.quotas.webhooksPerOrganization
  const isFull = (webhooks.data?.webhooks.length ?? 0) >= most
  const create = (
    <Button
      look="primary"
      reason={isFull ? t`There are ${most} already. Delete one first.` : undefined}
      onClick={() => setOpen({ kind: 'create' })}
    >
      <Plus className="size-4" aria-hidden="true" />
      <Trans>New webhook</Trans>
    </Button>
  )
  return (
    <Page
      title={<Trans>Webhooks</Trans>}
      lead={<Trans>Tell your own systems what happens here, immediately and signed.</Trans>}
      actions={isOwner && create}
    >
      {!isOwner ? (
        <OwnersOnly />
      ) : (
        <ReadView of={webhooks}>
          {({ webhooks: list }) =>
            list.length === 0 ? (
              <Empty
                icon={<WebhookIcon aria-hidden="true" />}
                title={<Trans>No webhooks yet</Trans>}
                action={create}
              >
                <Trans>
                  A webhook sends events to an address of yours, for instance of an accounting
                  system or a chat.
                </Trans>
              </Empty>
            ) : (
              <div className="flex flex-col gap-4">
                {list.map((webhook) => (
                  <WebhookCard
                    key={webhook.id}
                    webhook={webhook}
                    onRotate={() => setOpen({ kind: 'rotate', webhook })}
                    onDelete={() => setOpen({ kind: 'delete', webhook })}
                  />
                ))}
              </div>
            )
          }
        </ReadView>
      )}
      {open?.kind === 'create' && <CreateWebhookDialog onClose={close} />}
      {open?.kind === 'rotate' && <RotateSecretDialog webhook={open.webhook} onClose={close} />}
      {open?.kind === 'delete' && <DeleteWebhookDialog webhook={open.webhook} onClose={close} />}
    </Page>
  )
}
