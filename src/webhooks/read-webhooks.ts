/** Reads webhooks and their deliveries. */
import type { Member } from '#access/permissions.ts'
import type { Context } from '#context.ts'
import { scopeOf } from '#organizations/actor.ts'
import { AppError } from '#platform/errors.ts'
import { type Page, type Paged, toPaged } from '#platform/paging.ts'
import { type DeliveryRow, listDeliveries } from './deliveries.store.ts'
import { findWebhook, listWebhooks, type WebhookRow } from './webhooks.store.ts'

export type WebhookRecord = Omit<WebhookRow, 'pausedUntil'>

export const toWebhookRecord = ({ pausedUntil: _pause, ...row }: WebhookRow): WebhookRecord => row

export async function readWebhooks(
  ctx: Pick<Context, 'db' | 'clock'>,
  { member }: { member: Member },
): Promise<WebhookRecord[]> {
  const { organizationId } = member
  const rows = await ctx.db.read(scopeOf(member), (reader) =>
    listWebhooks(reader, { organizationId, at: ctx.clock.now() }),
  )
  return rows.map(toWebhookRecord)
}

export async function readDeliveries(
  ctx: Pick<Context, 'db' | 'clock'>,
  { member, webhookId, page }: { member: Member; webhookId: string; page: Page },
): Promise<Paged<DeliveryRow>> {
  const key = { organizationId: member.organizationId, webhookId }
  const [webhook, rows] = await ctx.db.read(scopeOf(member), (reader) =>
    Promise.all([
      findWebhook(reader, { ...key, at: ctx.clock.now() }),
      listDeliveries(reader, { ...key, page }),
    ]),
  )
  if (!webhook) throw new AppError('not_found')
  return toPaged(rows, { limit: page.limit, idOf: ({ id }) => id })
}
