/** The only writer of a webhook's state. */
import type { Context } from '#context.ts'
import type { Actor } from '#journal/actor.ts'
import { recordChange } from '#journal/journal.ts'
import type { Tx } from '#platform/database/database.ts'
import { next } from '#platform/machine.ts'
import { webhookMachine } from './webhook.machine.ts'
import { webhookChange } from './webhook.ts'
import { type DisabledCode, updateWebhookState, type WebhookRow } from './webhooks.store.ts'

type WebhookMove = { event: 'enable' } | { event: 'disable'; code: DisabledCode }

export async function moveWebhook(
  ctx: Pick<Context, 'clock' | 'ids'>,
  tx: Tx,
  {
    webhook,
    actor,
    move,
  }: {
    /** As read under lock. */
    webhook: WebhookRow
    actor: Actor
    move: WebhookMove
  },
): Promise<void> {
  const { id, organizationId, state: from } = webhook
  const to = next(webhookMachine, { from, event: move.event })
  const at = ctx.clock.now()
  const disabledCode = move.event === 'disable' ? move.code : null
  updateWebhookState(tx, { organizationId, id, from, to, disabledCode, at })
  await recordChange(ctx, tx, {
    organizationId,
    actor,
    action: move.event === 'disable' ? 'webhook.disabled' : 'webhook.enabled',
    aggregateType: 'webhook',
    aggregateId: id,
    data: { from, to, ...(disabledCode && { code: disabledCode }) },
    live: webhookChange(move.event === 'disable' ? 'webhook_disabled' : 'webhook_enabled', {
      state: to,
      severity: move.event === 'disable' ? 'action_required' : 'healthy',
    }),
  })
}
