/**
 * Job: one attempt to send one event to one webhook. It runs at least once, so a receiver may get
 * an event twice, with the same `webhook-id`.
 */
import type { Context } from '#context.ts'
import { toLiveEvent } from '#live/live-event.ts'
import { findLiveState } from '#live/streams.store.ts'
import type { Tx } from '#platform/database/database.ts'
import { enqueue, type JobPayloads } from '#platform/jobs/jobs.ts'
import type { WebhookMessage } from '#ports/webhook-sender.ts'
import {
  type DeliveryRow,
  findDeliveredEvent,
  insertDelivery,
  lockDelivery,
  postponeDelivery,
} from './deliveries.store.ts'
import { webhookJobKey, webhookQueueOf } from './follow-webhooks.ts'
import { moveDelivery, recordAttempt } from './record-attempt.ts'
import { webhookSecretName } from './webhook-secrets.ts'
import { findWebhook, listSigningSecrets, type WebhookRow } from './webhooks.store.ts'

type DeliveryContext = Pick<Context, 'db' | 'clock' | 'ids' | 'secrets' | 'webhooks'>
type Payload = JobPayloads['deliver_webhook']

export async function deliverWebhook(ctx: DeliveryContext, payload: Payload): Promise<void> {
  const { organizationId } = payload
  const message = await ctx.db.transaction({ organizationId }, (tx) => findDue(ctx, tx, payload))
  if (!message) return
  const outcome = await ctx.webhooks.send(message)
  await ctx.db.transaction({ organizationId }, async (tx) => {
    const delaySeconds = await recordAttempt(ctx, tx, { payload, outcome })
    if (delaySeconds === undefined) return
    enqueueAttempt(tx, { ...payload, attempt: payload.attempt + 1 }, { delaySeconds })
  })
}

/** Undefined when nothing is to be sent now: deleted, disabled, delivered or paused. */
async function findDue(
  ctx: DeliveryContext,
  tx: Tx,
  payload: Payload,
): Promise<WebhookMessage | undefined> {
  const at = ctx.clock.now()
  const { organizationId, eventId } = payload
  const webhook = await findWebhook(tx, { ...payload, at })
  if (!webhook) return undefined
  const event = await findDeliveredEvent(tx, { organizationId, eventId })
  if (!event) return endUndeliverable(tx, payload)
  insertDelivery(tx, { ...payload, id: ctx.ids.next(), kind: event.kind, at })
  const delivery = await lockDelivery(tx, payload)
  if (delivery?.state !== 'pending' || delivery.attempt >= payload.attempt) return undefined
  if (!(await requireOpen(tx, { payload, webhook, delivery, at }))) return undefined
  const { epoch } = await findLiveState(tx)
  const secrets = await listSigningSecrets(tx, { ...payload, at })
  const scope = { realm: 'consumer', organizationId } as const
  return {
    url: webhook.url,
    id: eventId,
    body: JSON.stringify(toLiveEvent(ctx.secrets, event, { epoch, scope })),
    secrets: secrets.map(({ id: secretId, sealed }) => ({
      name: webhookSecretName({ ...payload, secretId }),
      sealed,
    })),
  }
}

/** Live events are deleted after seven days; a delivery may have waited longer for a worker. */
async function endUndeliverable(tx: Tx, payload: Payload): Promise<undefined> {
  const { organizationId } = payload
  const delivery = await lockDelivery(tx, payload)
  if (delivery?.state !== 'pending') return undefined
  const result = { ...delivery, error: 'the event is no longer kept' }
  moveDelivery(tx, { organizationId, delivery, event: 'fail', result })
  return undefined
}

/** Ends the delivery of a disabled webhook, and postpones that of a paused one. */
async function requireOpen(
  tx: Tx,
  {
    payload,
    webhook,
    delivery,
    at,
  }: { payload: Payload; webhook: WebhookRow; delivery: DeliveryRow; at: Date },
): Promise<boolean> {
  const { organizationId } = payload
  if (webhook.state === 'disabled') {
    moveDelivery(tx, {
      organizationId,
      delivery,
      event: 'fail',
      result: { ...delivery, error: 'the webhook is disabled' },
    })
    return false
  }
  const { pausedUntil } = webhook
  if (pausedUntil === null || pausedUntil <= at.toISOString()) return true
  postponeDelivery(tx, { organizationId, id: delivery.id, until: pausedUntil })
  enqueueAttempt(tx, payload, { runAt: pausedUntil })
  return false
}

const enqueueAttempt = (
  tx: Tx,
  payload: Payload,
  due: { delaySeconds: number } | { runAt: string },
): void =>
  enqueue(tx, 'deliver_webhook', payload, {
    key: webhookJobKey(payload),
    queue: webhookQueueOf(payload.webhookId),
    ...due,
  })
