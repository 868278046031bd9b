/**
 * Job: tells one device of one event. Between the event and now its account may have left, lost a
 * role or removed the device, so everything is decided again here.
 */
import { timestampToSeconds } from '@countersign/proof/values.ts'
import type { Context } from '#context.ts'
import { SYSTEM } from '#journal/actor.ts'
import { recordChange } from '#journal/journal.ts'
import type { Tx } from '#platform/database/database.ts'
import { enqueue, type JobPayloads } from '#platform/jobs/jobs.ts'
import type { PushMessage } from '#ports/push-service.ts'
import { queueOf } from './follow-journal.ts'
import { categoryOf, newsSeconds, recipientsOf, topicOf, urgencyOf } from './notification.ts'
import { deactivateSubscription, findActiveSubscription } from './push.store.ts'
import {
  findAnyEvent,
  findEvent,
  type JournalEvent,
  listLaterEvents,
  listViewers,
  type OrganizationViewer,
} from './push-events.store.ts'

type DeliveryContext = Pick<Context, 'db' | 'observerDb' | 'clock' | 'ids' | 'log' | 'push'>
type Payload = JobPayloads['deliver_push']
type Due = { message: PushMessage; renewedAt: string }

/** After the first, second and further tries; a push service may ask for more. */
const WAITS_SECONDS = [5, 30, 120, 600, 1_800]

export async function deliverPush(ctx: DeliveryContext, payload: Payload): Promise<void> {
  if (!ctx.push) return
  const { subscriptionId } = payload
  const due = await findDue(ctx, payload)
  if (!due) return
  const outcome = await ctx.push.send(due.message)
  if (outcome === 'delivered') return
  if (outcome === 'gone') return deactivate(ctx, { ...payload, renewedAt: due.renewedAt })
  if ('rejected' in outcome) {
    ctx.log.warn({ subscriptionId, reason: outcome.rejected }, 'a push message was refused')
    return
  }
  const wait = WAITS_SECONDS[payload.attempt - 1]
  const delaySeconds = Math.max(wait ?? 0, outcome.retryAfterSeconds ?? 0)
  if (wait === undefined || delaySeconds >= due.message.ttlSeconds) {
    ctx.log.warn({ subscriptionId, reason: outcome.reason }, 'a device could not be told')
    return
  }
  await queueAgain(ctx, payload, delaySeconds)
}

/** Undefined when there is nothing to tell, nobody to tell it to, or nothing new in it. */
async function findDue(ctx: DeliveryContext, payload: Payload): Promise<Due | undefined> {
  const { organizationId, accountId } = payload
  const now = ctx.clock.now()
  if (organizationId !== null) {
    return ctx.db.transaction({ organizationId, accountId }, async (tx) => {
      const event = await findNews(tx, { ...payload, organizationId })
      return event && addressed(tx, { event, payload, now })
    })
  }
  // What is nobody's but the account's stands in no tenant's journal.
  const event = await findAnyEvent(ctx.observerDb, payload.eventId)
  if (!event || event.organizationId !== null) return undefined
  if (!concerns(event, { accountId, members: [] })) return undefined
  return ctx.db.transaction({ accountId }, (tx) => addressed(tx, { event, payload, now }))
}

/** Undefined when it is not the account's business any more, or not the last word. */
async function findNews(
  tx: Tx,
  { organizationId, accountId, eventId }: Payload & { organizationId: string },
): Promise<JournalEvent | undefined> {
  const event = await findEvent(tx, { organizationId, eventId })
  if (!event) return undefined
  const members = await listViewers(tx, [organizationId])
  if (!concerns(event, { accountId, members })) return undefined
  const later = await listLaterEvents(tx, { ...event, organizationId })
  return later.some((one) => concerns(one, { accountId, members })) ? undefined : event
}

async function addressed(
  tx: Tx,
  { event, payload, now }: { event: JournalEvent; payload: Payload; now: Date },
): Promise<Due | undefined> {
  const { accountId, subscriptionId, eventId } = payload
  const category = categoryOf(event)
  if (!category) return undefined
  const age = timestampToSeconds(now.toISOString()) - timestampToSeconds(event.occurredAt)
  const ttlSeconds = newsSeconds[category] - Math.max(0, age)
  if (ttlSeconds <= 0) return undefined
  const device = await findActiveSubscription(tx, { accountId, subscriptionId, at: now })
  if (!device) return undefined
  const { endpoint, p256dh, auth, renewedAt } = device
  const { aggregateType, aggregateId } = event
  const message = {
    endpoint,
    p256dh,
    auth,
    // Nothing else: it may stand on a lock screen.
    body: JSON.stringify({ eventId, category }),
    ttlSeconds,
    urgency: urgencyOf(category),
    topic: topicOf({ subscriptionId, aggregateType, aggregateId }),
  }
  return { message, renewedAt }
}

function concerns(
  event: JournalEvent,
  { accountId, members }: { accountId: string; members: readonly OrganizationViewer[] },
): boolean {
  const category = categoryOf(event)
  if (!category) return false
  return recipientsOf(category, { accountId: event.accountId, members }).includes(accountId)
}

async function deactivate(
  ctx: DeliveryContext,
  { accountId, subscriptionId, renewedAt }: Payload & { renewedAt: string },
): Promise<void> {
  const at = ctx.clock.now()
  await ctx.db.transaction({ accountId }, async (tx) => {
    const device = { accountId, subscriptionId, renewedAt, at }
    if (!(await deactivateSubscription(tx, device))) return
    await recordChange(ctx, tx, {
      organizationId: null,
      actor: SYSTEM,
      action: 'push.deactivated',
      aggregateType: 'push_subscription',
      aggregateId: subscriptionId,
      data: { accountId, reason: 'gone' },
    })
  })
}

/** Under a key of its own: a newer event for the device keeps its place in the queue. */
const queueAgain = (ctx: DeliveryContext, payload: Payload, delaySeconds: number): Promise<void> =>
  ctx.db.transaction({}, (tx) =>
    enqueue(
      tx,
      'deliver_push',
      { ...payload, attempt: payload.attempt + 1 },
      {
        key: `push:${payload.subscriptionId}:again:${payload.eventId}`,
        queue: queueOf(payload.accountId),
        delaySeconds,
      },
    ),
  )
