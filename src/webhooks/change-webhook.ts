/** Deletes, enables and pings webhooks. */
import { timestampToSeconds } from '@countersign/proof/values.ts'
import type { Member } from '#access/permissions.ts'
import type { Context } from '#context.ts'
import { recordChange } from '#journal/journal.ts'
import { asActor, asMember } from '#organizations/actor.ts'
import type { Tx } from '#platform/database/database.ts'
import { AppError } from '#platform/errors.ts'
import { findLastPing } from './deliveries.store.ts'
import { moveWebhook } from './move-webhook.ts'
import { toWebhookRecord, type WebhookRecord } from './read-webhooks.ts'
import { webhookChange } from './webhook.ts'
import { deleteWebhook, lockWebhook, type WebhookRow } from './webhooks.store.ts'

export type OwnWebhook = { actor: Member; webhookId: string }

type WebhookContext = Pick<Context, 'db' | 'clock' | 'ids'>

/** Pings reach a URL that somebody typed in, perhaps by mistake, so they are limited. */
const PING_EVERY_SECONDS = 10

export async function lockOwnWebhook(
  ctx: Pick<Context, 'clock'>,
  tx: Tx,
  { actor: { organizationId }, webhookId }: OwnWebhook,
): Promise<WebhookRow> {
  const webhook = await lockWebhook(tx, { organizationId, webhookId, at: ctx.clock.now() })
  if (!webhook) throw new AppError('not_found')
  return webhook
}

export async function removeWebhook(ctx: WebhookContext, input: OwnWebhook): Promise<void> {
  const { actor } = input
  await asMember(ctx, actor, async (tx) => {
    const { id: webhookId, organizationId } = await lockOwnWebhook(ctx, tx, input)
    deleteWebhook(tx, { organizationId, webhookId })
    await recordChange(ctx, tx, {
      organizationId,
      actor: asActor(actor),
      action: 'webhook.deleted',
      aggregateType: 'webhook',
      aggregateId: webhookId,
      data: {},
      live: webhookChange('webhook_deleted', { state: 'deleted' }),
    })
  })
}

/** Events from the time when it was disabled are not sent later. */
export async function enableWebhook(
  ctx: WebhookContext,
  input: OwnWebhook,
): Promise<WebhookRecord> {
  const { actor } = input
  return asMember(ctx, actor, async (tx) => {
    const webhook = await lockOwnWebhook(ctx, tx, input)
    if (webhook.state === 'active') {
      throw new AppError('state_conflict', { message: 'This webhook is already active.' })
    }
    await moveWebhook(ctx, tx, { webhook, actor: asActor(actor), move: { event: 'enable' } })
    return toWebhookRecord(await lockOwnWebhook(ctx, tx, input))
  })
}

/** Announces an event that is delivered only to this webhook, regardless of its kinds. */
export async function pingWebhook(ctx: WebhookContext, input: OwnWebhook): Promise<WebhookRecord> {
  const { actor } = input
  return asMember(ctx, actor, async (tx) => {
    const webhook = await lockOwnWebhook(ctx, tx, input)
    const { id: webhookId, organizationId, state } = webhook
    if (state !== 'active') {
      throw new AppError('state_conflict', {
        message: 'This webhook is disabled. Enable it first.',
      })
    }
    const last = await findLastPing(tx, { organizationId, webhookId })
    const now = timestampToSeconds(ctx.clock.now().toISOString())
    const wait = last === undefined ? 0 : timestampToSeconds(last) + PING_EVERY_SECONDS - now
    if (wait > 0) throw new AppError('rate_limited', { retryAfterSeconds: Math.ceil(wait) })
    await recordChange(ctx, tx, {
      organizationId,
      actor: asActor(actor),
      action: 'webhook.pinged',
      aggregateType: 'webhook',
      aggregateId: webhookId,
      data: {},
      live: webhookChange('webhook_ping', { state }),
    })
    return toWebhookRecord(webhook)
  })
}
