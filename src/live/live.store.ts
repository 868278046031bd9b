/**
 * SQL for live events. They are ordered by (transaction_id, seq), and a reader stops before the
 * oldest running transaction, so nothing can appear behind a position that was read.
 */
import sql, { type Sql } from 'sql-template-tag'
import type { Reader, Tx } from '#platform/database/database.ts'
import type { Severity } from '#platform/severity.ts'
import type { LiveScope, Position } from './cursor.ts'

/** An employee, for whom `seesAll` is false, sees their own events and those of services. */
export type Viewer = { scope: LiveScope; accountId: string; seesAll: boolean }

export type LiveEventRow = Position & {
  id: string
  organizationId: string | null
  audience: 'consumer' | 'admin' | 'both'
  kind: string
  aggregateType: string
  aggregateId: string
  targetState: string | null
  severity: Severity
  code: string | null
  occurredAt: string
  /** The account concerned, if any. */
  accountId: string | null
}

const columns = sql`
  transaction_id::text::numeric as "transactionId", seq, id,
  organization_id as "organizationId", audience, kind, aggregate_type as "aggregateType",
  aggregate_id as "aggregateId", target_state as "targetState", severity, code,
  occurred_at as "occurredAt", account_id as "accountId"`

const isSettled = sql`transaction_id < pg_snapshot_xmin(pg_current_snapshot())`

const isAfter = ({ transactionId, seq }: Position) =>
  sql`(transaction_id, seq) > (${String(transactionId)}::xid8, ${seq}::bigint)`

export type LiveEnd = {
  epoch: string
  position: Position
  /** Equal as long as no event was added, deleted or became readable. */
  mark: string
  /** The transactions that the statement saw, as `pg_snapshot`. */
  asOf: string
}

/** The end of the organization's events, or of all for operators; never before the horizon. */
export async function findLiveEnd(tx: Reader, { organizationId }: LiveScope): Promise<LiveEnd> {
  // Explicit, because with row-level security alone one tenant's plan would serve all others.
  const ofScope = organizationId === null ? sql`true` : sql`organization_id = ${organizationId}`
  const [end] = await tx.query<Omit<LiveEnd, 'position'> & Position>(sql`
    select s.epoch, p.transaction_id::text::numeric as "transactionId", p.seq,
      concat_ws(' ', s.epoch, s.horizon_transaction_id, s.horizon_seq, p.transaction_id, p.seq)
        as mark, pg_current_snapshot()::text as "asOf"
    from live_state s cross join lateral (
      (select transaction_id, seq from live_events where ${ofScope} and ${isSettled}
        order by transaction_id desc, seq desc limit 1)
      union all select s.horizon_transaction_id, s.horizon_seq
      order by 1 desc, 2 desc limit 1) p`)
  if (!end) throw new Error('live_state has no row')
  const { transactionId, seq, ...rest } = end
  return { ...rest, position: { transactionId, seq } }
}

type Reading = { where: Sql; order: Sql; limit: number }

const ascending = sql`order by transaction_id, seq`
const descending = sql`order by transaction_id desc, seq desc`

/** An employee's events are found by two indexes instead of filtering everyone's. */
function eventsOf({ scope, accountId, seesAll }: Viewer, { where, order, limit }: Reading): Sql {
  if (scope.realm === 'admin') {
    return sql`select ${columns} from live_events
      where audience in ('admin', 'both') and ${where} ${order} limit ${limit}`
  }
  const own = sql`organization_id = ${scope.organizationId}
    and audience in ('consumer', 'both') and ${where}`
  if (seesAll) {
    return sql`select ${columns} from live_events where ${own} ${order} limit ${limit}`
  }
  return sql`select ${columns} from (
    (select * from live_events
      where ${own} and account_id = ${accountId} and kind <> 'service.changed'
      ${order} limit ${limit})
    union all
    (select * from live_events where ${own} and kind = 'service.changed' ${order} limit ${limit})
    ) e ${order} limit ${limit}`
}

/** Newest first. */
export const listLatestEvents = (tx: Tx, viewer: Viewer, limit: number): Promise<LiveEventRow[]> =>
  tx.query<LiveEventRow>(eventsOf(viewer, { where: isSettled, order: descending, limit }))

/** Oldest first. */
export const listEventsAfter = (
  tx: Tx,
  viewer: Viewer,
  { after, limit }: { after: Position; limit: number },
): Promise<LiveEventRow[]> =>
  tx.query<LiveEventRow>(
    eventsOf(viewer, { where: sql`${isAfter(after)} and ${isSettled}`, order: ascending, limit }),
  )
