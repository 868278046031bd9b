/** SQL for live streams: the tail of all tenants' events, the callers' access, the epoch. */
import sql from 'sql-template-tag'
import type { Role } from '#access/permissions.ts'
import type { Db, Tx } from '#platform/database/database.ts'
import type { Position } from './cursor.ts'
import type { LiveEventRow } from './live.store.ts'

export type LiveState = {
  epoch: string
  horizon: Position
  /** Every transaction before this one has ended: its events are readable or will never exist. */
  settledBelow: bigint
}

type StateRow = {
  epoch: string
  horizonTransactionId: bigint
  horizonSeq: number
  settledBelow: bigint
}

const toState = (row: StateRow): LiveState => ({
  epoch: row.epoch,
  horizon: { transactionId: row.horizonTransactionId, seq: row.horizonSeq },
  settledBelow: row.settledBelow,
})

const stateColumns = sql`
  s.epoch, s.horizon_transaction_id::text::numeric as "horizonTransactionId",
  s.horizon_seq as "horizonSeq",
  pg_snapshot_xmin(pg_current_snapshot())::text::numeric as "settledBelow"`

export async function findLiveState(tx: Pick<Tx, 'query'>): Promise<LiveState> {
  const [row] = await tx.query<StateRow>(sql`select ${stateColumns} from live_state s`)
  if (!row) throw new Error('live_state has no row')
  return toState(row)
}

export type TailRows = LiveState & {
  rows: LiveEventRow[]
  /** There are events that must wait for an older transaction. */
  isWithheld: boolean
}

type TailRow = StateRow & { isWithheld: boolean; id: string | null }

/** Across tenants, oldest first. One statement, so that all of it comes from one snapshot. */
export async function readTail(
  observerDb: Pick<Db, 'query'>,
  { after, limit }: { after: Position; limit: number },
): Promise<TailRows> {
  const rows = await observerDb.query<TailRow & LiveEventRow>(sql`
    select ${stateColumns},
      exists (select from live_events
        where transaction_id >= pg_snapshot_xmin(pg_current_snapshot())) as "isWithheld",
      e.transaction_id::text::numeric as "transactionId", e.seq, e.id,
      e.organization_id as "organizationId", e.audience, e.kind,
      e.aggregate_type as "aggregateType", e.aggregate_id as "aggregateId",
      e.target_state as "targetState", e.severity, e.code, e.occurred_at as "occurredAt",
      e.account_id as "accountId"
    from live_state s left join lateral (
      select * from live_events
      where (transaction_id, seq) > (${String(after.transactionId)}::xid8, ${after.seq}::bigint)
        and transaction_id < pg_snapshot_xmin(pg_current_snapshot())
      order by transaction_id, seq limit ${limit}) e on true
    order by e.transaction_id, e.seq`)
  const [first] = rows
  if (!first) throw new Error('live_state has no row')
  return {
    ...toState(first),
    isWithheld: first.isWithheld,
    rows: first.id === null ? [] : rows,
  }
}

export type Standing = {
  account: 'active' | 'disabled'
  operator: 'active' | 'revoked' | null
  role: Role | null
}

/** The current status of each account and its role in the given organization, in the same order. */
export async function listStandings(
  observerDb: Pick<Db, 'query'>,
  viewers: readonly { accountId: string; organizationId: string | null }[],
): Promise<(Standing | undefined)[]> {
  const rows = await observerDb.query<Standing & { n: number }>(sql`
    select v.n, a.status as account, o.status as operator, m.role
    from unnest(${viewers.map(({ accountId }) => accountId)}::uuid[],
        ${viewers.map(({ organizationId }) => organizationId)}::uuid[])
      with ordinality v (account_id, organization_id, n)
    join accounts a on a.id = v.account_id
    left join operators o on o.account_id = a.id
    left join memberships m on m.organization_id = v.organization_id
      and m.account_id = v.account_id and m.state = 'active'`)
  const byNumber = new Map(rows.map((row) => [row.n, row]))
  return viewers.map((_viewer, index) => byNumber.get(index + 1))
}

/**
 * Records an open stream. Returns the ids of the account's oldest streams beyond the limit, which
 * are no longer recorded: whichever process has them ends them.
 */
export async function insertOpenStream(
  tx: Tx,
  stream: { id: string; accountId: string; lifetimeMs: number; perAccount: number },
): Promise<string[]> {
  // Streams that an account opens at once count one after the other.
  tx.write(sql`select pg_advisory_xact_lock(hashtextextended(${stream.accountId}, 12))`)
  const rows = await tx.query<{ id: string }>(sql`
    with opened as (
      insert into open_streams (id, account_id, ends_at)
      values (${stream.id}, ${stream.accountId},
        now() + make_interval(secs => ${stream.lifetimeMs / 1_000})))
    delete from open_streams where id in (
      select id from open_streams where account_id = ${stream.accountId}
      order by opened_at desc, id desc offset ${stream.perAccount - 1})
    returning id`)
  return rows.map(({ id }) => id)
}

export async function deleteOpenStreams(
  db: Pick<Db, 'query'>,
  ids: readonly string[],
): Promise<void> {
  await db.query(sql`delete from open_streams where id = any(${[...ids]}::uuid[])`)
}

/** Which of the streams another process has replaced. */
export async function listReplacedStreams(
  db: Pick<Db, 'query'>,
  ids: readonly string[],
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    select i.id from unnest(${[...ids]}::uuid[]) i (id)
    left join open_streams o on o.id = i.id where o.id is null`)
  return rows.map(({ id }) => id)
}

/** Streams that a process left when it died. */
export async function deleteEndedStreams(db: Pick<Db, 'query'>): Promise<void> {
  await db.query(sql`delete from open_streams where ends_at < now() - interval '1 minute'`)
}

/** True when the order of events has started anew, which voids every cursor. */
export async function refreshEpoch(db: Pick<Db, 'query'>): Promise<boolean> {
  const [row] = await db.query<{ changed: boolean }>(sql`
    select settle_live_epoch() as changed`)
  return row?.changed ?? false
}
