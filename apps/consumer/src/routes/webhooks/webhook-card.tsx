import { useAction } from '@countersign/app-kit/data/actions.ts'
import { FailureNotice } from '@countersign/app-kit/shell/failure-notice.tsx'
import { Button } from '@countersign/ui/button.tsx'
import { Mark } from '@countersign/ui/mark.tsx'
import { Moment } from '@countersign/ui/moment.tsx'
import { Notice } from '@countersign/ui/notice.tsx'
import { Card } from '@countersign/ui/page.tsx'
import { say } from '@countersign/ui/say.ts'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQueryClient } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { useOrganization } from '../../data/organization.tsx'
import { Deliveries } from './deliveries.tsx'
import { KINDS, type Webhook } from './webhook-kinds.ts'

const SENT_AFTER_MS = 2_500

type Props = { webhook: Webhook; onRotate(): void; onDelete(): void }

export function WebhookCard({ webhook, onRotate, onDelete }: Props) {
  const { t, i18n } = useLingui()
  const { id: organizationId } = useOrganization()
  const [isOpen, setOpen] = useState(false)
  const deliveriesId = useId()
  const cache = useQueryClient()
  const ping = useAction('pingWebhook', ['listWebhookDeliveries'])
  const enable = useAction('enableWebhook', ['listWebhooks'])
  const path = { organizationId, webhookId: webhook.id }
  const isActive = webhook.state === 'active'
  const test = async () => {
    if (!(await ping.run({ path })).ok) return
    say(t`A test is on its way`)
    setOpen(true)
    // A worker sends it after the answer, so there is something to read a moment later.
    setTimeout(
      () => void cache.invalidateQueries({ queryKey: ['listWebhookDeliveries'] }),
      SENT_AFTER_MS,
    )
  }
  const failure = ping.failure ?? enable.failure
  return (
    <Card>
      <div className="flex flex-col gap-3">
        <div className="flex flex-wrap items-start justify-between gap-2">
          <h2 className="min-w-0 flex-1 basis-64 break-all font-medium font-mono text-sm">
            {webhook.url}
          </h2>
          <Mark kind={!isActive ? 'blocked' : webhook.failingSince ? 'warning' : 'done'}>
            {!isActive ? t`Disabled` : webhook.failingSince ? t`Failing` : t`Active`}
          </Mark>
        </div>
        <p className="text-muted text-sm">
          {webhook.kinds.map((kind) => i18n._(KINDS[kind])).join(', ')}
        </p>
        {webhook.disabledCode && (
          <Notice tone="bad">
            {webhook.disabledCode === 'gone' ? (
              <Trans>The receiver answered that it is gone (410), so sending was stopped.</Trans>
            ) : (
              <Trans>The receiver accepted nothing for 20 hours, so sending was stopped.</Trans>
            )}{' '}
            <Trans>Repair it, then enable the webhook. Events in between are not sent.</Trans>
          </Notice>
        )}
        {isActive && webhook.failingSince && (
          <p className="text-sm text-warn">
            <Trans>
              Every attempt has failed since <Moment at={webhook.failingSince} style="full" />.
            </Trans>
          </p>
        )}
        {webhook.previousSecretExpiresAt && (
          <p className="text-muted text-sm">
            <Trans>
              The previous secret signs too until{' '}
              <Moment at={webhook.previousSecretExpiresAt} style="full" />.
            </Trans>
          </p>
        )}
        <div className="flex flex-wrap gap-2">
          {isActive ? (
            <Button size="small" isBusy={ping.isBusy} onClick={test}>
              <Trans>Send a test</Trans>
            </Button>
          ) : (
            <Button
              size="small"
              look="primary"
              isBusy={enable.isBusy}
              onClick={() => void enable.run({ path })}
            >
              <Trans>Enable</Trans>
            </Button>
          )}
          <Button
            size="small"
            aria-expanded={isOpen}
            aria-controls={deliveriesId}
            onClick={() => setOpen(!isOpen)}
          >
            <Trans>Deliveries</Trans>
          </Button>
          <Button size="small" onClick={onRotate}>
            <Trans>Rotate the secret</Trans>
          </Button>
          <Button size="small" onClick={onDelete}>
            <Trans>Delete</Trans>
          </Button>
        </div>
        {failure && <FailureNotice failure={failure} />}
        <div id={deliveriesId} hidden={!isOpen} className="border-line border-t pt-3">
          {isOpen && <Deliveries webhookId={webhook.id} />}
        </div>
      </div>
    </Card>
  )
}
