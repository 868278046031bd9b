/**
 * Job: sends one event to one device. The account may have left, lost a role or removed the device
 * since the event, so everything is checked again here.
 */
import { timestampToSeconds } from '@countersign/proof/values.ts'
import type { Context } from '#context.ts'
import { SYSTEM } from '#journal/actor.ts'
import { recordChange } from '#journal/journal.ts'
import type { Tx } from '#platform/database/database.ts'
import { enqueue, type JobPayloads } from '#platform/jobs/jobs.ts'
import type { PushMessage } from '#ports/push-service.ts'
import { queueOf } from './follow-journal.ts'
import {
  categoryOf,
  notificationTtlSeconds,
  recipientsOf,
  topicOf,
  urgencyOf,
} from './notification.ts'
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

/** Delays after each failed attempt; a push service may request a longer one. */
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
    ctx.log.warn(
      { subscriptionId, reason: outcome.rejected },
      'the push service rejected a message',
    )
    return
  }
  const wait = WAITS_SECONDS[payload.attempt - 1]
  const delaySeconds = Math.max(wait ?? 0, outcome.retryAfterSeconds ?? 0)
  if (wait === undefined || delaySeconds >= due.message.ttlSeconds) {
    ctx.log.warn({ subscriptionId, reason: outcome.reason }, 'giving up on a push message')
    return
  }
  await enqueueRetry(ctx, payload, delaySeconds)
}

/** Undefined when the event is stale, superseded, or no longer concerns the account. */
async function findDue(ctx: DeliveryContext, payload: Payload): Promise<Due | undefined> {
  const { organizationId, accountId } = payload
  const now = ctx.clock.now()
  if (organizationId !== null) {
    return ctx.db.transaction({ organizationId, accountId }, async (tx) => {
      const event = await findCurrentEvent(tx, { ...payload, organizationId })
      return event && messageFor(tx, { event, payload, now })
    })
  }
  // An account's own events are in no tenant's journal.
  const event = await findAnyEvent(ctx.observerDb, payload.eventId)
  if (!event || event.organizationId !== null) return undefined
  if (!concerns(event, { accountId, members: [] })) return undefined
  return ctx.db.transaction({ accountId }, (tx) => messageFor(tx, { event, payload, now }))
}

/** Undefined when the event no longer concerns the account, or a later event supersedes it. */
async function findCurrentEvent(
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

async function messageFor(
  tx: Tx,
  { event, payload, now }: { event: JournalEvent; payload: Payload; now: Date },
): Promise<Due | undefined> {
  const { accountId, subscriptionId, eventId } = payload
  const category = categoryOf(event)
  if (!category) return undefined
  const age = timestampToSeconds(now.toISOString()) - timestampToSeconds(event.occurredAt)
  const ttlSeconds = notificationTtlSeconds[category] - Math.max(0, age)
  if (ttlSeconds <= 0) return undefined
  const device = await findActiveSubscription(tx, { accountId, subscriptionId, at: now })
  if (!device) return undefined
  const { endpoint, p256dh, auth, renewedAt } = device
  const { aggregateType, aggregateId } = event
  const message = {
    endpoint,
    p256dh,
    auth,
    // Nothing else: the message may appear on a lock screen.
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

/** Uses its own key, so that a newer event for the device keeps its place in the queue. */
const enqueueRetry = (
  ctx: DeliveryContext,
  payload: Payload,
  delaySeconds: number,
): Promise<void> =>
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
