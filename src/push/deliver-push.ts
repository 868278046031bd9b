/** Job: sends one event to one device, if it still concerns the account. */
import type { Context } from '#context.ts'
import { SYSTEM } from '#journal/actor.ts'
import { recordChange } from '#journal/journal.ts'
import { enqueue, type JobPayloads } from '#platform/jobs/jobs.ts'
import type { PushMessage } from '#ports/push-service.ts'
import { withDueEvent } from './due-event.ts'
import { queueOf } from './follow-journal.ts'
import { notificationTtlSeconds, topicOf, urgencyOf } from './notification.ts'
import { deactivateSubscription, findActiveSubscription } from './push.store.ts'

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

/** Undefined when nothing is to be sent. */
const findDue = (ctx: DeliveryContext, payload: Payload): Promise<Due | undefined> =>
  withDueEvent(
    ctx,
    {
      notified: payload,
      channel: 'push',
      ttlSeconds: (category) => notificationTtlSeconds[category],
    },
    async (tx, { event, category, ttlSeconds }) => {
      const { accountId, subscriptionId, eventId } = payload
      const at = ctx.clock.now()
      const device = await findActiveSubscription(tx, { accountId, subscriptionId, at })
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
    },
  )

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
