/** SQL for deliveries of webhooks, the events they carry, and the follower's position. */
import sql from 'sql-template-tag'
import type { JournalPosition } from '#journal/positions.store.ts'
import type { LiveEventRow } from '#live/live.store.ts'
import type { Db, Reader, Tx } from '#platform/database/database.ts'
import type { Page } from '#platform/paging.ts'
import type { WebhookDeliveryState } from './webhook.machine.ts'
import type { WebhookCandidate } from './webhook.ts'
import type { WebhookKey } from './webhooks.store.ts'

export type DeliveryRow = {
  id: string
  eventId: string
  kind: string
  state: WebhookDeliveryState
  /** Attempts made so far. */
  attempt: number
  statusCode: number | null
  error: string | null
  createdAt: string
  attemptedAt: string | null
  nextAttemptAt: string | null
}

const columns = sql`
  id, event_id as "eventId", kind, state, attempt, status_code as "statusCode", error,
  created_at as "createdAt", attempted_at as "attemptedAt", next_attempt_at as "nextAttemptAt"`

/** Newest first, and one more than the limit. */
export const listDeliveries = (
  reader: Reader,
  { organizationId, webhookId, page }: WebhookKey & { page: Page },
): Promise<DeliveryRow[]> =>
  reader.query<DeliveryRow>(sql`
    select ${columns} from webhook_deliveries
    where organization_id = ${organizationId} and webhook_id = ${webhookId}
      and id < ${page.beforeId}
    order by id desc limit ${page.limit + 1}`)

/** One per event and webhook: a repeated job finds the existing one. */
export function insertDelivery(
  tx: Tx,
  row: WebhookKey & { id: string; eventId: string; kind: string; at: Date },
): void {
  tx.write(sql`
    insert into webhook_deliveries (id, organization_id, webhook_id, event_id, kind, state,
      created_at, next_attempt_at)
    values (${row.id}, ${row.organizationId}, ${row.webhookId}, ${row.eventId}, ${row.kind},
      'pending', ${row.at}, ${row.at})
    on conflict on constraint webhook_deliveries_event do nothing`)
}

export async function lockDelivery(
  tx: Tx,
  { organizationId, webhookId, eventId }: WebhookKey & { eventId: string },
): Promise<DeliveryRow | undefined> {
  const [row] = await tx.query<DeliveryRow>(sql`
    select ${columns} from webhook_deliveries
    where organization_id = ${organizationId} and webhook_id = ${webhookId}
      and event_id = ${eventId} for update`)
  return row
}

type AttemptResult = {
  organizationId: string
  id: string
  attempt: number
  statusCode: number | null
  error: string | null
  at: Date
}

/** The last attempt, or the end of a delivery without one. */
export function updateDeliveryState(
  tx: Tx,
  move: Omit<AttemptResult, 'at'> & {
    from: WebhookDeliveryState
    to: WebhookDeliveryState
    attemptedAt: Date | string | null
  },
): void {
  tx.write(sql`
    update webhook_deliveries set state = ${move.to}, attempt = ${move.attempt},
      status_code = ${move.statusCode}, error = ${move.error}, attempted_at = ${move.attemptedAt},
      next_attempt_at = null
    where organization_id = ${move.organizationId} and id = ${move.id} and state = ${move.from}`)
}

/** A failed attempt that will be repeated. */
export function updateDeliveryAttempt(
  tx: Tx,
  result: AttemptResult & { nextAttemptAt: Date },
): void {
  tx.write(sql`
    update webhook_deliveries set attempt = ${result.attempt}, status_code = ${result.statusCode},
      error = ${result.error}, attempted_at = ${result.at},
      next_attempt_at = ${result.nextAttemptAt}
    where organization_id = ${result.organizationId} and id = ${result.id}
      and state = 'pending'`)
}

/** The endpoint is paused; no attempt was made. */
export function postponeDelivery(
  tx: Tx,
  { organizationId, id, until }: { organizationId: string; id: string; until: string },
): void {
  tx.write(sql`
    update webhook_deliveries set next_attempt_at = ${until}
    where organization_id = ${organizationId} and id = ${id} and state = 'pending'`)
}

/** The event as streams read it; undefined when it was deleted after seven days. */
export async function findDeliveredEvent(
  tx: Tx,
  { organizationId, eventId }: { organizationId: string; eventId: string },
): Promise<LiveEventRow | undefined> {
  const [row] = await tx.query<LiveEventRow>(sql`
    select transaction_id::text::numeric as "transactionId", seq, id,
      organization_id as "organizationId", audience, kind, aggregate_type as "aggregateType",
      aggregate_id as "aggregateId", target_state as "targetState", severity, code,
      occurred_at as "occurredAt", account_id as "accountId"
    from live_events
    where organization_id = ${organizationId} and id = ${eventId} and audience <> 'admin'`)
  return row
}

/** When the webhook was last pinged; undefined if not within the last seven days. */
export async function findLastPing(
  tx: Tx,
  { organizationId, webhookId }: WebhookKey,
): Promise<string | undefined> {
  const [row] = await tx.query<{ occurredAt: string }>(sql`
    select occurred_at as "occurredAt" from live_events
    where organization_id = ${organizationId} and aggregate_type = 'integration'
      and aggregate_id = ${webhookId} and code = 'webhook_ping'
    order by transaction_id desc, seq desc limit 1`)
  return row?.occurredAt
}

export type FollowedEvent = WebhookCandidate & JournalPosition & { id: string }

/** Across tenants, in order, and only those that no running transaction can still precede. */
export const listFollowedEvents = (
  reader: Reader,
  { transactionId, seq, limit }: JournalPosition & { limit: number },
): Promise<FollowedEvent[]> =>
  reader.query<FollowedEvent>(sql`
    select id, organization_id as "organizationId", audience, kind, aggregate_id as "aggregateId",
      code, occurred_at as "occurredAt", transaction_id as "transactionId", seq
    from live_events
    where (transaction_id, seq) > (${transactionId}::xid8, ${seq}::bigint)
      and transaction_id < pg_snapshot_xmin(pg_current_snapshot())
    order by live_events.transaction_id, live_events.seq limit ${limit}`)

export async function findWebhookPosition(
  db: Pick<Db, 'query'>,
): Promise<JournalPosition | undefined> {
  const [row] = await db.query<JournalPosition>(sql`
    select transaction_id as "transactionId", seq from webhook_position`)
  return row
}

/** False when another worker inserted it first. */
export async function insertWebhookPosition(
  tx: Tx,
  to: JournalPosition,
  at: Date,
): Promise<boolean> {
  const rows = await tx.query(sql`
    insert into webhook_position (transaction_id, seq, moved_at)
    values (${to.transactionId}, ${to.seq}, ${at}) on conflict do nothing returning seq`)
  return rows.length > 0
}

/** False when another worker has moved it, which then has done the work. */
export async function advanceWebhookPosition(
  tx: Tx,
  { from, to, at }: { from: JournalPosition; to: JournalPosition; at: Date },
): Promise<boolean> {
  const rows = await tx.query(sql`
    update webhook_position set transaction_id = ${to.transactionId}, seq = ${to.seq},
      moved_at = ${at}
    where transaction_id = ${from.transactionId} and seq = ${from.seq} returning seq`)
  return rows.length > 0
}
