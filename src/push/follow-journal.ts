/**
 * Reads the journal from the stored position and queues push messages. Position and deliveries
 * commit together, and only if the position is unchanged: of two workers that read the same events
 * one commits, and a worker that dies has done nothing.
 */
import type { Context } from '#context.ts'
import type { JournalStepOutcome } from '#journal/follower.ts'
import { addSeconds } from '#platform/clock.ts'
import type { Tx } from '#platform/database/database.ts'
import { enqueueAll } from '#platform/jobs/jobs.ts'
import { type Category, categoryOf, notificationTtlSeconds, recipientsOf } from './notification.ts'
import { listActiveDevices } from './push.store.ts'
import {
  advancePosition,
  findLiveEnd,
  findPosition,
  findReadState,
  insertPosition,
  type JournalEvent,
  type JournalPosition,
  listEventsAfter,
  listViewers,
} from './push-events.store.ts'

type FollowContext = Pick<Context, 'db' | 'observerDb' | 'clock'>

const EVENTS_AT_ONCE = 500
/** Every live stream waits for writing transactions, so a step must be short. */
const DELIVERIES_AT_ONCE = 200
/** Slow push services occupy at most this many jobs, so most of a worker stays free. */
const LANES = 4

type Delivery = { event: JournalEvent; accountId: string; id: string }
type PlannedStep = { deliveries: Delivery[]; to: JournalPosition | undefined; isWithheld: boolean }

export async function followJournal(ctx: FollowContext): Promise<JournalStepOutcome> {
  const from = await findPosition(ctx.db)
  const planned = from && (await planStep(ctx, from))
  if (!from || !planned) return beginAtEnd(ctx, from)
  const { to, deliveries, isWithheld } = planned
  if (!to) return isWithheld ? 'busy' : 'idle'
  const at = ctx.clock.now()
  return ctx.db.transaction({}, async (tx) => {
    if (!(await advancePosition(tx, { from, to, at }))) return 'busy'
    await enqueueAll(tx, 'deliver_push', deliveries.map(jobOf))
    return 'moved'
  })
}

/** A new subscriber is notified only of events from now on. */
async function beginAtEnd(
  ctx: FollowContext,
  from: JournalPosition | undefined,
): Promise<JournalStepOutcome> {
  const to = await ctx.observerDb.transaction({}, findLiveEnd)
  const at = ctx.clock.now()
  const isDone = await ctx.db.transaction({}, (tx) =>
    from ? advancePosition(tx, { from, to, at }) : insertPosition(tx, to, at),
  )
  return isDone ? 'moved' : 'busy'
}

/** Undefined when the position belongs to another server's transaction ids. */
const planStep = (ctx: FollowContext, from: JournalPosition): Promise<PlannedStep | undefined> =>
  ctx.observerDb.transaction({}, async (tx) => {
    const { isOfThisServer, isWithheld } = await findReadState(tx, from)
    if (!isOfThisServer) return undefined
    const events = await listEventsAfter(tx, { ...from, limit: EVENTS_AT_ONCE })
    const deliveries = await planDeliveries(tx, { events, now: ctx.clock.now() })
    return { ...firstPart(events, deliveries), isWithheld }
  })

/** Whole events only, and at least one, because a large event would otherwise never fit. */
function firstPart(
  events: readonly JournalEvent[],
  deliveries: Delivery[],
): Pick<PlannedStep, 'deliveries' | 'to'> {
  const tooMany = deliveries[DELIVERIES_AT_ONCE]?.event.id
  if (!tooMany) return { deliveries, to: events.at(-1) }
  const isLarge = deliveries[0]?.event.id === tooMany
  const fitting = events.findIndex(({ id }) => id === tooMany) + (isLarge ? 1 : 0)
  const part = events.slice(0, fitting)
  const ids = new Set(part.map(({ id }) => id))
  return { deliveries: deliveries.filter(({ event }) => ids.has(event.id)), to: part.at(-1) }
}

type NotableNews = { event: JournalEvent; category: Category }

function selectNotable(events: readonly JournalEvent[], now: Date): NotableNews[] {
  return events.flatMap((event) => {
    const category = categoryOf(event)
    if (!category) return []
    const isOld =
      event.occurredAt < addSeconds(now, -notificationTtlSeconds[category]).toISOString()
    return isOld ? [] : [{ event, category }]
  })
}

async function planDeliveries(
  tx: Tx,
  { events, now: at }: { events: readonly JournalEvent[]; now: Date },
): Promise<Delivery[]> {
  const notable = selectNotable(events, at)
  if (notable.length === 0) return []
  const organizationIds = notable.flatMap(({ event }) => event.organizationId ?? [])
  const viewers = await listViewers(tx, [...new Set(organizationIds)])
  const recipients = notable.flatMap(({ event, category }) => {
    const members = viewers.filter((viewer) => viewer.organizationId === event.organizationId)
    const accountIds = recipientsOf(category, { accountId: event.accountId, members })
    return accountIds.map((accountId) => ({ event, accountId }))
  })
  const accountIds = [...new Set(recipients.map(({ accountId }) => accountId))]
  const devices = await listActiveDevices(tx, { accountIds, at })
  return recipients.flatMap(({ event, accountId }) =>
    devices
      .filter((device) => device.accountId === accountId)
      .map(({ id }) => ({ event, accountId, id })),
  )
}

const laneOf = (accountId: string): number => Number.parseInt(accountId.slice(-4), 16) % LANES

export const queueOf = (accountId: string): string => `push:${laneOf(accountId)}`

/** A queued message for the same device and aggregate is replaced: only the latest matters. */
const jobOf = ({ event, accountId, id }: Delivery) => ({
  payload: {
    organizationId: event.organizationId,
    accountId,
    subscriptionId: id,
    eventId: event.id,
    attempt: 1,
  },
  options: {
    key: `push:${id}:${event.aggregateType}:${event.aggregateId}`,
    queue: queueOf(accountId),
  },
})
