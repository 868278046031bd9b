/** Records the outcome of an attempt, and disables a webhook that no longer accepts anything. */
import { timestampToSeconds } from '@countersign/proof/values.ts'
import type { Context } from '#context.ts'
import { SYSTEM } from '#journal/actor.ts'
import { addSeconds } from '#platform/clock.ts'
import type { Tx } from '#platform/database/database.ts'
import type { JobPayloads } from '#platform/jobs/jobs.ts'
import { next } from '#platform/machine.ts'
import type { WebhookOutcome } from '#ports/webhook-sender.ts'
import {
  type DeliveryRow,
  lockDelivery,
  updateDeliveryAttempt,
  updateDeliveryState,
} from './deliveries.store.ts'
import { moveWebhook } from './move-webhook.ts'
import { type WebhookDeliveryEvent, webhookDeliveryMachine } from './webhook.machine.ts'
import {
  DISABLE_AFTER_SECONDS,
  GIVE_UP_AFTER_SECONDS,
  PAUSE_SECONDS,
  retryDelaySeconds,
} from './webhook.ts'
import { lockWebhook, updateWebhookHealth, type WebhookRow } from './webhooks.store.ts'

type Payload = JobPayloads['deliver_webhook']
type Result = {
  attempt: number
  statusCode: number | null
  error: string | null
  attemptedAt: Date | string | null
}

/** The only writer of a delivery's state. */
export function moveDelivery(
  tx: Tx,
  {
    organizationId,
    delivery,
    event,
    result,
  }: {
    organizationId: string
    delivery: DeliveryRow
    event: WebhookDeliveryEvent
    result: Result
  },
): void {
  const { id, state: from } = delivery
  const to = next(webhookDeliveryMachine, { from, event })
  const { attempt, statusCode, error, attemptedAt } = result
  updateDeliveryState(tx, {
    organizationId,
    id,
    from,
    to,
    attempt,
    statusCode,
    error,
    attemptedAt,
  })
}

/** The delay before the next attempt; undefined when there is none. */
export async function recordAttempt(
  ctx: Pick<Context, 'clock' | 'ids'>,
  tx: Tx,
  { payload, outcome }: { payload: Payload; outcome: WebhookOutcome },
): Promise<number | undefined> {
  const { organizationId, attempt } = payload
  const at = ctx.clock.now()
  const webhook = await lockWebhook(tx, { ...payload, at })
  const delivery = webhook && (await lockDelivery(tx, payload))
  // Deleted in the meantime, or another run of this job was faster.
  if (!webhook || delivery?.state !== 'pending' || delivery.attempt >= attempt) return undefined
  const { statusCode } = outcome
  const error = outcome.outcome === 'failed' ? outcome.reason : null
  const result = { attempt, statusCode, error, attemptedAt: at }
  if (outcome.outcome === 'delivered') {
    moveDelivery(tx, { organizationId, delivery, event: 'deliver', result })
    updateWebhookHealth(tx, { ...payload, failingSince: null, pausedUntil: null })
    return undefined
  }
  const failingSince = webhook.failingSince ?? at.toISOString()
  const pausedUntil = statusCode === null ? addSeconds(at, PAUSE_SECONDS) : null
  updateWebhookHealth(tx, { ...payload, failingSince, pausedUntil })
  const failingSeconds = timestampToSeconds(at.toISOString()) - timestampToSeconds(failingSince)
  const delaySeconds =
    outcome.outcome === 'failed' && failingSeconds < GIVE_UP_AFTER_SECONDS
      ? retryDelaySeconds(attempt, outcome.retryAfterSeconds)
      : undefined
  if (delaySeconds !== undefined) {
    const nextAttemptAt = addSeconds(at, delaySeconds)
    const { id } = delivery
    updateDeliveryAttempt(tx, {
      organizationId,
      id,
      attempt,
      statusCode,
      error,
      at,
      nextAttemptAt,
    })
    return delaySeconds
  }
  moveDelivery(tx, { organizationId, delivery, event: 'fail', result })
  await disableIfDead(ctx, tx, { webhook, isGone: outcome.outcome === 'gone', failingSeconds })
  return undefined
}

async function disableIfDead(
  ctx: Pick<Context, 'clock' | 'ids'>,
  tx: Tx,
  {
    webhook,
    isGone,
    failingSeconds,
  }: { webhook: WebhookRow; isGone: boolean; failingSeconds: number },
): Promise<void> {
  const isFailing = failingSeconds >= DISABLE_AFTER_SECONDS
  if (webhook.state !== 'active' || (!isGone && !isFailing)) return
  await moveWebhook(ctx, tx, {
    webhook,
    actor: SYSTEM,
    move: { event: 'disable', code: isGone ? 'gone' : 'failing' },
  })
}
