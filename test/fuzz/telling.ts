/** Devices of the fuzz test, and the events that they would be notified of. */
import { randomBytes } from 'node:crypto'
import sql from 'sql-template-tag'
import { createWebPush } from '#adapters/push/web-push.ts'
import { createStandardWebhooks } from '#adapters/webhooks/standard-webhooks.ts'
import { systemClock } from '#platform/clock.ts'
import { makeVapidPrivateKey, vapidPublicKey } from '#platform/config/push.ts'
import type { PushService } from '#ports/push-service.ts'
import type { WebhookSender } from '#ports/webhook-sender.ts'
import { categories } from '#push/preferences.ts'
import type { Random } from '#test/fuzz/random.ts'
import { uuid } from '#test/fuzz/values.ts'
import type { World } from '#test/fuzz/world.ts'
import { makeDevice } from '#test/push/device.ts'
import type { TestApp } from '#test/support/app.ts'

/** Accepts local endpoints; any other name is unknown and not resolved. */
export function secludedPush(): PushService {
  const privateKey = makeVapidPrivateKey()
  const publicKey = vapidPublicKey(privateKey) ?? ''
  return createWebPush({
    vapid: { privateKey, publicKey, subject: 'mailto:push@countersign.example' },
    clock: systemClock,
    allowsLoopback: true,
    hosts: undefined,
    resolve: async () => [],
  })
}

/** The same for webhooks. */
export const secludedWebhooks = (): WebhookSender =>
  createStandardWebhooks({
    clock: systemClock,
    allowsLoopback: true,
    keys: { current: randomBytes(32), previous: undefined },
    resolve: async () => [],
  })

/** Disables one webhook of each organization, so that it can be enabled again. */
export async function loseReceivers({ ctx }: TestApp, { tenants }: World): Promise<void> {
  for (const { id: organizationId, webhookIds } of tenants) {
    const [id] = webhookIds
    if (id === undefined) continue
    await ctx.db.transaction({ organizationId }, (tx) =>
      tx.query(sql`
        update webhooks set state = 'disabled', disabled_code = 'gone'
        where organization_id = ${organizationId} and id = ${id} and state = 'active'`),
    )
  }
}

const keys = makeDevice().keys
const endpoints = Array.from({ length: 30 }, (_, n) => `https://127.0.0.1:8443/device-${n}`)

/** Sometimes a browser that another account has used. */
export function settleDevice(random: Random, body: Record<string, unknown>): void {
  body.endpoint = random.chance(0.5) ? random.pick(endpoints) : `https://[::1]/${uuid(random)}`
  if ('keys' in body) Object.assign(body, { keys, expirationTime: null })
}

/** One category: among several there are mostly duplicates or required ones. */
export function settlePreferences(random: Random, body: Record<string, unknown>): void {
  if (random.chance(0.2)) return
  const category = random.pick(categories)
  body.preferences = [{ category, push: random.chance(0.5), email: random.chance(0.5) }]
}

/** Recent events that notify members. */
export async function hearOfEvents({ ctx }: TestApp, { tenants }: World): Promise<void> {
  for (const tenant of tenants) {
    const rows = await ctx.db.transaction({ organizationId: tenant.id }, (tx) =>
      tx.query<{ id: string }>(sql`
        select id from live_events
        where organization_id = ${tenant.id}
          and target_state in ('needs_review', 'awaiting_approval', 'revision_requested')
        order by transaction_id desc, seq desc limit 10`),
    )
    tenant.eventIds = rows.map(({ id }) => id)
  }
}
