/**
 * Reads the journal from the stored position and queues deliveries to webhooks. Position and
 * deliveries commit together, and only if the position is unchanged, as for push.
 */
import type { Context } from '#context.ts'
import { type JournalStepOutcome, outcomeOf } from '#journal/follower.ts'
import { findLiveEnd, findReadState, type JournalPosition } from '#journal/positions.store.ts'
import { enqueueAll } from '#platform/jobs/jobs.ts'
import {
  advanceWebhookPosition,
  type FollowedEvent,
  findWebhookPosition,
  insertWebhookPosition,
  listFollowedEvents,
} from './deliveries.store.ts'
import { isWanted, type WebhookTarget } from './webhook.ts'
import { listActiveWebhooks } from './webhooks.store.ts'

type FollowContext = Pick<Context, 'db' | 'observerDb' | 'clock'>

const EVENTS_AT_ONCE = 500
/** Every live stream waits for writing transactions, so a step must be short. */
const DELIVERIES_AT_ONCE = 200
/** Slow endpoints occupy at most this many jobs of a worker. */
const QUEUES = 2

type Delivery = { event: FollowedEvent; webhook: WebhookTarget }
type PlannedStep = {
  deliveries: Delivery[]
  to: JournalPosition | undefined
  /** There are more events. */
  isPart: boolean
  isWithheld: boolean
}

export async function followWebhooks(ctx: FollowContext): Promise<JournalStepOutcome> {
  const from = await findWebhookPosition(ctx.db)
  const planned = from && (await planStep(ctx, from))
  if (!from || !planned) return beginAtEnd(ctx, from)
  const { to, deliveries } = planned
  if (!to) return outcomeOf(planned)
  const at = ctx.clock.now()
  return ctx.db.transaction({}, async (tx) => {
    if (!(await advanceWebhookPosition(tx, { from, to, at }))) return 'busy'
    await enqueueAll(tx, 'deliver_webhook', deliveries.map(jobOf))
    return outcomeOf(planned)
  })
}

async function beginAtEnd(
  ctx: FollowContext,
  from: JournalPosition | undefined,
): Promise<JournalStepOutcome> {
  const to = await ctx.observerDb.transaction({}, findLiveEnd)
  const at = ctx.clock.now()
  const isDone = await ctx.db.transaction({}, (tx) =>
    from ? advanceWebhookPosition(tx, { from, to, at }) : insertWebhookPosition(tx, to, at),
  )
  return isDone ? 'moved' : 'busy'
}

/** Undefined when the position belongs to another server's transaction ids. */
const planStep = (ctx: FollowContext, from: JournalPosition): Promise<PlannedStep | undefined> =>
  ctx.observerDb.read({}, async (reader) => {
    const [{ isOfThisServer, isWithheld }, events] = await Promise.all([
      findReadState(reader, from),
      listFollowedEvents(reader, { ...from, limit: EVENTS_AT_ONCE }),
    ])
    if (!isOfThisServer) return undefined
    const organizationIds = [...new Set(events.flatMap((event) => event.organizationId ?? []))]
    const webhooks =
      organizationIds.length === 0 ? [] : await listActiveWebhooks(reader, organizationIds)
    return { ...firstPart(events, webhooks), isWithheld }
  })

/** Whole events only, and at least one. */
function firstPart(
  events: readonly FollowedEvent[],
  webhooks: readonly WebhookTarget[],
): Omit<PlannedStep, 'isWithheld'> {
  const deliveries: Delivery[] = []
  let to: FollowedEvent | undefined
  for (const event of events) {
    const wanted = webhooks.filter((webhook) => isWanted(webhook, event))
    if (to && deliveries.length + wanted.length > DELIVERIES_AT_ONCE) break
    deliveries.push(...wanted.map((webhook) => ({ event, webhook })))
    to = event
  }
  return { deliveries, to, isPart: events.length === EVENTS_AT_ONCE || to !== events.at(-1) }
}

const queueNumberOf = (webhookId: string): number =>
  Number.parseInt(webhookId.slice(-4), 16) % QUEUES

export const webhookQueueOf = (webhookId: string): string => `webhook:${queueNumberOf(webhookId)}`

/** One pending job for each event and webhook. */
export const webhookJobKey = ({ webhookId, eventId }: { webhookId: string; eventId: string }) =>
  `webhook:${webhookId}:${eventId}`

const jobOf = ({ event, webhook: { id: webhookId, organizationId } }: Delivery) => ({
  payload: { organizationId, webhookId, eventId: event.id, attempt: 1 },
  options: {
    key: webhookJobKey({ webhookId, eventId: event.id }),
    queue: webhookQueueOf(webhookId),
  },
})
