/**
 * Checks again, right before sending, whether an account should be notified of an event: the
 * account may have left, lost a role or switched the category off, and the event may be outdated.
 */
import { timestampToSeconds } from '@countersign/proof/values.ts'
import type { Context } from '#context.ts'
import type { Tx } from '#platform/database/database.ts'
import { asksToAct, type Category, categoryOf, recipientsOf } from './notification.ts'
import { listChoices } from './preferences.store.ts'
import { type Channel, isOn } from './preferences.ts'
import {
  findAnyEvent,
  findEvent,
  type JournalEvent,
  listLaterEvents,
  listViewers,
  type OrganizationViewer,
} from './push-events.store.ts'

export type DueEvent = {
  event: JournalEvent
  category: Category
  /** How long the notification stays useful. */
  ttlSeconds: number
}

type Notified = {
  /** Null for events of an account. */
  organizationId: string | null
  accountId: string
  eventId: string
}

export type DueOptions = { channel: Channel; ttlSeconds(category: Category): number }

/**
 * Calls `work` in the recipient's scope. Returns undefined when the event is stale, superseded, or
 * no longer concerns the account.
 */
export async function withDueEvent<T>(
  ctx: Pick<Context, 'db' | 'observerDb' | 'clock'>,
  { notified, ...options }: DueOptions & { notified: Notified },
  work: (tx: Tx, due: DueEvent) => Promise<T | undefined>,
): Promise<T | undefined> {
  const { organizationId, accountId, eventId } = notified
  const now = ctx.clock.now()
  const workIfDue = async (tx: Tx, event: JournalEvent | undefined) => {
    const due = event && (await dueOf(tx, { event, accountId, now, ...options }))
    return due && work(tx, due)
  }
  if (organizationId !== null) {
    return ctx.db.transaction({ organizationId, accountId }, async (tx) =>
      workIfDue(tx, await findCurrentEvent(tx, { organizationId, accountId, eventId })),
    )
  }
  // An account's own events are in no tenant's journal.
  const event = await findAnyEvent(ctx.observerDb, eventId)
  if (!event || event.organizationId !== null) return undefined
  if (!concerns(event, { accountId, members: [] })) return undefined
  return ctx.db.transaction({ accountId }, (tx) => workIfDue(tx, event))
}

/** Undefined when the event no longer concerns the account, or a later event supersedes it. */
async function findCurrentEvent(
  tx: Tx,
  { organizationId, accountId, eventId }: Notified & { organizationId: string },
): Promise<JournalEvent | undefined> {
  const event = await findEvent(tx, { organizationId, eventId })
  if (!event) return undefined
  const members = await listViewers(tx, [organizationId])
  if (!concerns(event, { accountId, members })) return undefined
  const later = await listLaterEvents(tx, { ...event, organizationId })
  const isSuperseded = later.some(
    (one) => hasMovedOn(event, one) || concerns(one, { accountId, members }),
  )
  return isSuperseded ? undefined : event
}

/** Somebody else has already done what the recipient would be asked to do. */
function hasMovedOn(event: JournalEvent, later: JournalEvent): boolean {
  const category = categoryOf(event)
  const isRequest = category !== undefined && asksToAct(category)
  return isRequest && later.targetState !== null && later.targetState !== event.targetState
}

async function dueOf(
  tx: Tx,
  {
    event,
    accountId,
    now,
    channel,
    ttlSeconds: ttlOf,
  }: DueOptions & { event: JournalEvent; accountId: string; now: Date },
): Promise<DueEvent | undefined> {
  const category = categoryOf(event)
  if (!category) return undefined
  const age = timestampToSeconds(now.toISOString()) - timestampToSeconds(event.occurredAt)
  const ttlSeconds = ttlOf(category) - Math.max(0, age)
  if (ttlSeconds <= 0) return undefined
  const choices = await listChoices(tx, { accountId })
  return isOn(choices, { category, channel }) ? { event, category, ttlSeconds } : undefined
}

function concerns(
  event: JournalEvent,
  { accountId, members }: { accountId: string; members: readonly OrganizationViewer[] },
): boolean {
  const category = categoryOf(event)
  if (!category) return false
  return recipientsOf(category, { event, members }).includes(accountId)
}
