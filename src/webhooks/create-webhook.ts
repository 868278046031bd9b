/** Creates a webhook. Only the first response contains its secret. */
import type { Member } from '#access/permissions.ts'
import type { Context } from '#context.ts'
import { recordChange } from '#journal/journal.ts'
import { asActor, asMember } from '#organizations/actor.ts'
import type { Tx } from '#platform/database/database.ts'
import { AppError } from '#platform/errors.ts'
import { type Answer, findIsRepeated, type IdempotentRequest, once } from '#platform/idempotency.ts'
import { toWebhookRecord, type WebhookRecord } from './read-webhooks.ts'
import { webhookChange } from './webhook.ts'
import { makeWebhookSecret, type NewWebhookSecret } from './webhook-secrets.ts'
import { findWebhook, insertSecret, insertWebhook, lockWebhookCount } from './webhooks.store.ts'

export type CreateWebhook = { actor: Member; url: string; kinds: readonly string[] }

/** A replay has no secret: the API cannot read the stored one. */
export type WebhookWithSecret = WebhookRecord & { secret: string | null }

export async function createWebhook(
  ctx: Pick<Context, 'db' | 'clock' | 'ids' | 'config' | 'webhooks'>,
  { request, ...wanted }: CreateWebhook & { request: IdempotentRequest },
): Promise<Answer<WebhookWithSecret>> {
  const { actor, url } = wanted
  const isRepeated = await asMember(ctx, actor, (tx) => findIsRepeated(tx, request))
  if (!isRepeated) await requireAllowed(ctx, url)
  const webhookId = ctx.ids.next()
  const key = { organizationId: actor.organizationId, webhookId }
  const secret = await makeWebhookSecret(ctx, key)
  const { body, replayed } = await asMember(ctx, actor, (tx) =>
    once(tx, request, {
      at: ctx.clock.now(),
      work: () => insert(ctx, tx, { ...wanted, webhookId, secret }),
    }),
  )
  return { replayed, body: { ...body, secret: replayed ? null : secret.secret } }
}

async function requireAllowed({ webhooks }: Pick<Context, 'webhooks'>, url: string): Promise<void> {
  const verdict = await webhooks.checkEndpoint(url)
  if (verdict === 'allowed') return
  throw new AppError('validation_failed', { message: `\`url\` ${verdict.refused}.` })
}

async function insert(
  ctx: Pick<Context, 'clock' | 'ids' | 'config'>,
  tx: Tx,
  {
    actor,
    url,
    kinds,
    webhookId,
    secret,
  }: CreateWebhook & { webhookId: string; secret: NewWebhookSecret },
): Promise<WebhookRecord> {
  const { organizationId, accountId } = actor
  const { webhooksPerOrganization: max } = ctx.config.limits.quotas
  if ((await lockWebhookCount(tx, organizationId)) >= max) {
    throw new AppError('state_conflict', {
      message: `An organization may have at most ${max} webhooks. Delete one first.`,
    })
  }
  const at = ctx.clock.now()
  const row = { id: webhookId, organizationId, url, kinds, createdByAccountId: accountId, at }
  insertWebhook(tx, row)
  insertSecret(tx, {
    id: secret.id,
    organizationId,
    webhookId,
    sealed: secret.sealed,
    at,
  })
  await recordChange(ctx, tx, {
    organizationId,
    actor: asActor(actor),
    action: 'webhook.created',
    aggregateType: 'webhook',
    aggregateId: webhookId,
    // The rest of the URL may contain a credential.
    data: { host: URL.parse(url)?.host ?? '', kinds },
    live: webhookChange('webhook_created', { state: 'active' }),
  })
  const created = await findWebhook(tx, { organizationId, webhookId, at })
  if (!created) throw new Error('The webhook was not inserted')
  return toWebhookRecord(created)
}
