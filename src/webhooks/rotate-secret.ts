/** Replaces the secret of a webhook. Both secrets sign for a day, so that receivers can switch. */
import type { Context } from '#context.ts'
import { recordChange } from '#journal/journal.ts'
import { asActor, asMember } from '#organizations/actor.ts'
import { addSeconds } from '#platform/clock.ts'
import type { Tx } from '#platform/database/database.ts'
import { type Answer, type IdempotentRequest, once } from '#platform/idempotency.ts'
import { lockOwnWebhook, type OwnWebhook } from './change-webhook.ts'
import type { WebhookWithSecret } from './create-webhook.ts'
import { toWebhookRecord, type WebhookRecord } from './read-webhooks.ts'
import { webhookChange } from './webhook.ts'
import { makeWebhookSecret, type NewWebhookSecret } from './webhook-secrets.ts'
import { expireSecrets, insertSecret } from './webhooks.store.ts'

export const OVERLAP_SECONDS = 24 * 60 * 60

export async function rotateSecret(
  ctx: Pick<Context, 'db' | 'clock' | 'ids' | 'webhooks'>,
  { request, ...input }: OwnWebhook & { request: IdempotentRequest },
): Promise<Answer<WebhookWithSecret>> {
  const { actor, webhookId } = input
  const key = { organizationId: actor.organizationId, webhookId }
  const secret = await makeWebhookSecret(ctx, key)
  const { body, replayed } = await asMember(ctx, actor, (tx) =>
    once(tx, request, { at: ctx.clock.now(), work: () => replace(ctx, tx, { ...input, secret }) }),
  )
  return { replayed, body: { ...body, secret: replayed ? null : secret.secret } }
}

async function replace(
  ctx: Pick<Context, 'clock' | 'ids'>,
  tx: Tx,
  { secret, ...input }: OwnWebhook & { secret: NewWebhookSecret },
): Promise<WebhookRecord> {
  const { id: webhookId, organizationId, state } = await lockOwnWebhook(ctx, tx, input)
  const at = ctx.clock.now()
  const expiresAt = addSeconds(at, OVERLAP_SECONDS)
  expireSecrets(tx, { organizationId, webhookId, expiresAt })
  const { id, sealed } = secret
  insertSecret(tx, { id, organizationId, webhookId, sealed, at })
  await recordChange(ctx, tx, {
    organizationId,
    actor: asActor(input.actor),
    action: 'webhook.secret_rotated',
    aggregateType: 'webhook',
    aggregateId: webhookId,
    data: { previousExpiresAt: expiresAt.toISOString() },
    live: webhookChange('webhook_secret_rotated', { state }),
  })
  return toWebhookRecord(await lockOwnWebhook(ctx, tx, input))
}
