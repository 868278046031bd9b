/** Generates signing secrets. They are sealed before they are stored, and shown once. */
import type { Context } from '#context.ts'
import { AppError } from '#platform/errors.ts'
import { findSealingKey, insertSealingKey, type WebhookKey } from './webhooks.store.ts'

/** The authenticated name of a sealed secret. A caller may write ids in upper case. */
export const webhookSecretName = ({
  organizationId,
  webhookId,
  secretId,
}: WebhookKey & { secretId: string }): string =>
  `webhook:${organizationId}:${webhookId}:${secretId}`.toLowerCase()

export type NewWebhookSecret = { id: string; secret: string; sealed: Uint8Array }

/** Call it before the transaction that stores the secret. */
export async function makeWebhookSecret(
  ctx: Pick<Context, 'db' | 'ids' | 'webhooks'>,
  key: WebhookKey,
): Promise<NewWebhookSecret> {
  const sealingKey = await findSealingKey(ctx.db)
  if (!sealingKey) {
    throw new AppError('dependency_unavailable', {
      message: 'No worker has started yet, so no secret can be stored. Retry shortly.',
    })
  }
  const id = ctx.ids.next()
  const name = webhookSecretName({ ...key, secretId: id })
  return { id, ...(await ctx.webhooks.createSecret({ name, publicKey: sealingKey.publicKey })) }
}

/** Called when a worker starts: API processes seal new secrets to the newest published key. */
export const publishSealingKey = async (ctx: Pick<Context, 'db' | 'webhooks'>): Promise<void> =>
  insertSealingKey(ctx.db, await ctx.webhooks.sealingKey())
