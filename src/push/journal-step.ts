/**
 * One step of a reader of the journal: reads events from a stored position and queues a channel's
 * deliveries. Position and deliveries commit together, and only if the position is unchanged: of
 * two workers that read the same events one commits, and a worker that dies has done nothing.
 */
import type { Context } from '#context.ts'
import { type JournalStepOutcome, outcomeOf } from '#journal/follower.ts'
import { findLiveEnd, findReadState, type JournalPosition } from '#journal/positions.store.ts'
import { addSeconds } from '#platform/clock.ts'
import type { Tx } from '#platform/database/database.ts'
import { type Category, categoryOf, recipientsOf } from './notification.ts'
import { type JournalEvent, listEventsAfter, listViewers } from './push-events.store.ts'

export type StepContext = Pick<Context, 'db' | 'observerDb' | 'clock'>

export type EventRecipient = { event: JournalEvent; accountId: string }

export type JournalReader<Delivery extends EventRecipient> = {
  /** How long after the event a delivery still begins. */
  ttlSeconds(category: Category): number
  findPosition(db: Context['db']): Promise<JournalPosition | undefined>
  /** False when another worker inserted it first. */
  insertPosition(tx: Tx, to: JournalPosition, at: Date): Promise<boolean>
  /** False when another worker has moved it, which then has done the work. */
  advancePosition(
    tx: Tx,
    move: { from: JournalPosition; to: JournalPosition; at: Date },
  ): Promise<boolean>
  /** In the order of the events. */
  listDeliveries(
    tx: Tx,
    found: { recipients: readonly EventRecipient[]; at: Date },
  ): Promise<Delivery[]>
  enqueue(tx: Tx, deliveries: readonly Delivery[]): Promise<void>
}

const EVENTS_AT_ONCE = 500
/** Every live stream waits for writing transactions, so a step must be short. */
const DELIVERIES_AT_ONCE = 200
/** Slow services occupy at most this many jobs of a channel, so most of a worker stays free. */
const QUEUES = 4

type PlannedStep<Delivery> = {
  deliveries: Delivery[]
  to: JournalPosition | undefined
  /** There are more events. */
  isPart: boolean
  isWithheld: boolean
}

export async function takeJournalStep<Delivery extends EventRecipient>(
  ctx: StepContext,
  reader: JournalReader<Delivery>,
): Promise<JournalStepOutcome> {
  const from = await reader.findPosition(ctx.db)
  const planned = from && (await planStep(ctx, reader, from))
  if (!from || !planned) return beginAtEnd(ctx, reader, from)
  const { to, deliveries } = planned
  if (!to) return outcomeOf(planned)
  const at = ctx.clock.now()
  return ctx.db.transaction({}, async (tx) => {
    if (!(await reader.advancePosition(tx, { from, to, at }))) return 'busy'
    await reader.enqueue(tx, deliveries)
    return outcomeOf(planned)
  })
}

/** A channel that is switched on notifies only of events from now on. */
async function beginAtEnd<Delivery extends EventRecipient>(
  ctx: StepContext,
  reader: JournalReader<Delivery>,
  from: JournalPosition | undefined,
): Promise<JournalStepOutcome> {
  const to = await ctx.observerDb.transaction({}, findLiveEnd)
  const at = ctx.clock.now()
  const isDone = await ctx.db.transaction({}, (tx) =>
    from ? reader.advancePosition(tx, { from, to, at }) : reader.insertPosition(tx, to, at),
  )
  return isDone ? 'moved' : 'busy'
}

/** Undefined when the position belongs to another server's transaction ids. */
const planStep = <Delivery extends EventRecipient>(
  ctx: StepContext,
  reader: JournalReader<Delivery>,
  from: JournalPosition,
): Promise<PlannedStep<Delivery> | undefined> =>
  ctx.observerDb.transaction({}, async (tx) => {
    const [{ isOfThisServer, isWithheld }, events] = await Promise.all([
      findReadState(tx, from),
      listEventsAfter(tx, { ...from, limit: EVENTS_AT_ONCE }),
    ])
    if (!isOfThisServer) return undefined
    const at = ctx.clock.now()
    const recipients = await findRecipients(tx, { notable: selectNotable(events, reader, at) })
    const deliveries =
      recipients.length === 0 ? [] : await reader.listDeliveries(tx, { recipients, at })
    return { ...firstPart(events, deliveries), isWithheld }
  })

/** Whole events only, and at least one, because a large event would otherwise never fit. */
function firstPart<Delivery extends EventRecipient>(
  events: readonly JournalEvent[],
  deliveries: Delivery[],
): Omit<PlannedStep<Delivery>, 'isWithheld'> {
  const tooMany = deliveries[DELIVERIES_AT_ONCE]?.event.id
  if (!tooMany) {
    return { deliveries, to: events.at(-1), isPart: events.length === EVENTS_AT_ONCE }
  }
  const isLarge = deliveries[0]?.event.id === tooMany
  const fitting = events.findIndex(({ id }) => id === tooMany) + (isLarge ? 1 : 0)
  const part = events.slice(0, fitting)
  const ids = new Set(part.map(({ id }) => id))
  const fittingDeliveries = deliveries.filter(({ event }) => ids.has(event.id))
  return { deliveries: fittingDeliveries, to: part.at(-1), isPart: true }
}

type NotableNews = { event: JournalEvent; category: Category }

function selectNotable(
  events: readonly JournalEvent[],
  { ttlSeconds }: Pick<JournalReader<EventRecipient>, 'ttlSeconds'>,
  now: Date,
): NotableNews[] {
  return events.flatMap((event) => {
    const category = categoryOf(event)
    if (!category) return []
    const isOld = event.occurredAt < addSeconds(now, -ttlSeconds(category)).toISOString()
    return isOld ? [] : [{ event, category }]
  })
}

async function findRecipients(
  tx: Tx,
  { notable }: { notable: readonly NotableNews[] },
): Promise<EventRecipient[]> {
  if (notable.length === 0) return []
  const organizationIds = notable.flatMap(({ event }) => event.organizationId ?? [])
  const viewers = await listViewers(tx, [...new Set(organizationIds)])
  return notable.flatMap(({ event, category }) => {
    const members = viewers.filter((viewer) => viewer.organizationId === event.organizationId)
    const accountIds = recipientsOf(category, { event, members })
    return accountIds.map((accountId) => ({ event, accountId }))
  })
}

/** An account's deliveries of a channel are always in the same queue. */
export const queueNumberOf = (accountId: string): number =>
  Number.parseInt(accountId.slice(-4), 16) % QUEUES
