/** SQL for the journal events that push reads, and for the position it has reached. */
import sql from 'sql-template-tag'
import { SIGNATURE_ADDED } from '#expenses/move-expense.ts'
import type { JournalPosition } from '#journal/positions.store.ts'
import type { Db, Tx } from '#platform/database/database.ts'
import type { NotificationEvent, NotificationViewer } from './notification.ts'

export type JournalEvent = NotificationEvent & JournalPosition

export async function findPosition(db: Pick<Db, 'query'>): Promise<JournalPosition | undefined> {
  const [row] = await db.query<JournalPosition>(sql`
    select transaction_id as "transactionId", seq from push_position`)
  return row
}

/** False when another worker inserted it first. */
export async function insertPosition(tx: Tx, to: JournalPosition, at: Date): Promise<boolean> {
  const rows = await tx.query(sql`
    insert into push_position (transaction_id, seq, moved_at)
    values (${to.transactionId}, ${to.seq}, ${at}) on conflict do nothing returning seq`)
  return rows.length > 0
}

/** False when another worker has moved it, which then has done the work. */
export async function advancePosition(
  tx: Tx,
  { from, to, at }: { from: JournalPosition; to: JournalPosition; at: Date },
): Promise<boolean> {
  const rows = await tx.query(sql`
    update push_position set transaction_id = ${to.transactionId}, seq = ${to.seq}, moved_at = ${at}
    where transaction_id = ${from.transactionId} and seq = ${from.seq} returning seq`)
  return rows.length > 0
}

const columns = sql`
  e.id, e.organization_id as "organizationId", e.audience, e.kind,
  e.aggregate_type as "aggregateType", e.aggregate_id as "aggregateId",
  e.target_state as "targetState", e.code, e.occurred_at as "occurredAt",
  e.account_id as "accountId", e.transaction_id as "transactionId", e.seq,
  case when e.kind = 'expense.changed' and e.code = ${SIGNATURE_ADDED} then (
    select coalesce(array_agg(s.account_id::text), '{}') from expenses x
    join payments p on p.organization_id = x.organization_id and p.id = x.payment_id
    join payment_signatures s on s.organization_id = p.organization_id and s.payment_id = p.id
      and s.epoch = p.epoch
    where x.organization_id = e.organization_id and x.id = e.aggregate_id::uuid)
  end as "signerIds"`

/** In order, and only those that no running transaction can still precede. */
export const listEventsAfter = (
  tx: Tx,
  { transactionId, seq, limit }: JournalPosition & { limit: number },
): Promise<JournalEvent[]> =>
  tx.query<JournalEvent>(sql`
    select ${columns} from live_events e
    where (e.transaction_id, e.seq) > (${transactionId}::xid8, ${seq}::bigint)
      and e.transaction_id < pg_snapshot_xmin(pg_current_snapshot())
    order by e.transaction_id, e.seq limit ${limit}`)

/** Across tenants: the organization is unknown before the event is read. */
export async function findAnyEvent(
  db: Pick<Db, 'query'>,
  eventId: string,
): Promise<JournalEvent | undefined> {
  const [row] = await db.query<JournalEvent>(sql`
    select ${columns} from live_events e where e.id = ${eventId}`)
  return row
}

export async function findEvent(
  tx: Tx,
  { organizationId, eventId }: { organizationId: string; eventId: string },
): Promise<JournalEvent | undefined> {
  const [row] = await tx.query<JournalEvent>(sql`
    select ${columns} from live_events e
    where e.organization_id = ${organizationId} and e.id = ${eventId}`)
  return row
}

const LATER_MAX = 100

/** Later events of the same aggregate. */
export const listLaterEvents = (
  tx: Tx,
  event: JournalPosition & { organizationId: string; aggregateType: string; aggregateId: string },
): Promise<JournalEvent[]> =>
  tx.query<JournalEvent>(sql`
    select ${columns} from live_events e
    where e.organization_id = ${event.organizationId}
      and (e.transaction_id, e.seq) > (${event.transactionId}::xid8, ${event.seq}::bigint)
      and e.aggregate_type = ${event.aggregateType} and e.aggregate_id = ${event.aggregateId}
    order by e.transaction_id, e.seq limit ${LATER_MAX}`)

export type OrganizationViewer = NotificationViewer & { organizationId: string }

/** Active members of these organizations whose accounts are active. */
export const listViewers = (
  tx: Tx,
  organizationIds: readonly string[],
): Promise<OrganizationViewer[]> =>
  tx.query<OrganizationViewer>(sql`
    select m.organization_id as "organizationId", m.account_id as "accountId",
      m.id as "membershipId", m.role, exists (
      select from wallet_roles r
      where r.organization_id = m.organization_id and r.membership_id = m.id
        and r.role = 'approver' and r.state = 'active') as "isApprover"
    from memberships m join accounts a on a.id = m.account_id
    where m.organization_id = any(${organizationIds}::uuid[]) and m.state = 'active'
      and a.status = 'active'
    order by m.id`)
