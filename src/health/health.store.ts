/**
 * SQL for service health. Tenant data is read in the tenant's scope or with the observer's login.
 */
import sql from 'sql-template-tag'
import type { BlockCode } from '#platform/block-codes.ts'
import type { Db, Reader, Tx } from '#platform/database/database.ts'
import type { Severity } from '#platform/severity.ts'
import type { ExecutorFacts, ExecutorFigures } from './judge-executor.ts'
import type { DatabaseFacts, QueueFacts } from './judge-services.ts'
import type { HealthVerdict, ServiceId } from './service-health.ts'

type Queryable = Pick<Db, 'query'>

export async function pingDatabase(db: Queryable): Promise<void> {
  await db.query(sql`select 1`)
}

/** Age of the newest heartbeat; null when no worker has registered. */
export async function findBeatAge(db: Queryable): Promise<number | null> {
  // clock_timestamp() instead of now(): a heartbeat may have come since the transaction began.
  const [row] = await db.query<{ age: number | null }>(sql`
    select floor(extract(epoch from clock_timestamp() - max(beat_at)))::bigint as age
    from worker_processes`)
  return row?.age ?? null
}

/** Scans every job, so only the probe rounds call it. */
export async function countQueue(db: Queryable): Promise<QueueFacts> {
  const [row] = await db.query<QueueFacts>(sql`
    select due, failed, oldest_due_seconds as "oldestDueSeconds" from job_queue_state()`)
  if (!row) throw new Error('job_queue_state() returned no row')
  return row
}

/** Age of the oldest live event that streams must withhold. Needs the observer's login. */
export async function findWithheldAge(observer: Queryable): Promise<number> {
  const [row] = await observer.query<{ age: number }>(sql`
    select greatest(0, floor(extract(epoch from now() - occurred_at)))::bigint as age
    from live_events where transaction_id >= pg_snapshot_xmin(pg_current_snapshot())
    order by transaction_id, seq limit 1`)
  return row?.age ?? 0
}

/** Across tenants, within the last week. Needs the observer's login. */
export async function countForgedPayments(
  observer: Queryable,
  codes: readonly BlockCode[],
): Promise<number> {
  const [row] = await observer.query<{ count: number }>(sql`
    select count(*) as count from payments
    where state = 'blocked' and block_code = any(${codes})
      and state_since > now() - interval '7 days'`)
  return row?.count ?? 0
}

export type PaymentFigures = {
  /** By state, those that are neither confirmed nor failed. */
  payments: Record<string, { count: number; oldestSeconds: number }>
  /** Of the deepest lane, by stage. */
  laneDepth: { queued: number; inFlight: number }
  /** Lanes with payments to send or to settle. */
  busyLanes: number
}

const OPEN_STATES = ['reserved', 'queued', 'submitting', 'broadcast', 'reconciling', 'blocked']

type StateCount = { state: string; count: number; oldestSeconds: number }
type LaneCounts = { queued: number; inFlight: number; busy: number }

function figureOf(counts: readonly StateCount[], state: string) {
  const { count = 0, oldestSeconds = 0 } = counts.find((one) => one.state === state) ?? {}
  return { count, oldestSeconds: Math.max(0, oldestSeconds) }
}

/**
 * Across tenants. Scans every open payment, so only the probe rounds call it. Needs the observer's
 * login.
 */
export async function countPayments(observer: Queryable): Promise<PaymentFigures> {
  const [states, lanes] = await Promise.all([
    observer.query<StateCount>(sql`
      select state, count(*) as count,
        floor(extract(epoch from now() - min(state_since)))::bigint as "oldestSeconds"
      from payments
      where state in ('reserved', 'queued', 'submitting', 'broadcast', 'reconciling', 'blocked')
      group by state`),
    observer.query<LaneCounts>(sql`
      select coalesce(max(queued), 0) as queued, coalesce(max(in_flight), 0) as "inFlight",
        count(*) as busy
      from (
        select count(*) filter (where state = 'queued') as queued,
          count(*) filter (where state <> 'queued') as in_flight
        from payments
        where state in ('queued', 'submitting', 'broadcast', 'reconciling')
          and lane_id is not null
        group by organization_id, lane_id
      ) lane`),
  ])
  const { queued = 0, inFlight = 0, busy = 0 } = lanes[0] ?? {}
  return {
    payments: Object.fromEntries(OPEN_STATES.map((state) => [state, figureOf(states, state)])),
    laneDepth: { queued, inFlight },
    busyLanes: busy,
  }
}

type HistoryState = 'reading' | 'failing'

export type HistoryFigures = {
  /** By state, the vaults whose history is not read yet. Ages count from their registration. */
  vaultHistories: Record<HistoryState, { count: number; oldestSeconds: number }>
}

/** `failing`: the last range could not be read. Needs the observer's login. */
export async function countUnreadHistories(observer: Queryable): Promise<HistoryFigures> {
  const rows = await observer.query<StateCount>(sql`
    select case when w.failures = 0 then 'reading' else 'failing' end as state,
      count(distinct w.address) as count,
      coalesce(floor(extract(epoch from now() - min(v.created_at))), 0)::bigint as "oldestSeconds"
    from chain_watches w left join vaults v on v.address = w.address and v.state = 'verified'
    where not w.caught_up
    group by 1`)
  return {
    vaultHistories: { reading: figureOf(rows, 'reading'), failing: figureOf(rows, 'failing') },
  }
}

/** Null for a node that did not answer, or that serves another chain. */
type NodeFigures = { nodeLagBlocks: (number | null)[] }

/** What a probe round counted, for reads until the next round. */
export type Figures = Partial<
  QueueFacts &
    Omit<DatabaseFacts, 'latencyMs'> &
    PaymentFigures &
    ExecutorFigures &
    HistoryFigures &
    NodeFigures
>

export type StoredHealth = HealthVerdict & {
  id: ServiceId
  checkedAt: string
  figures: Figures | null
}

export async function listStoredHealth(db: Queryable): Promise<StoredHealth[]> {
  return db.query<StoredHealth>(sql`
    select id, severity, code, summary, latency_ms as "latencyMs", checked_at as "checkedAt",
      figures
    from service_health`)
}

/** Leases the round to one process until it finishes or the lease expires. */
export async function claimRound(
  db: Queryable,
  { leaseSeconds }: { leaseSeconds: number },
): Promise<string | undefined> {
  // Truncated to milliseconds, the precision that the driver returns.
  const [row] = await db.query<{ lease: string }>(sql`
    update health_rounds set lease_until =
      date_trunc('milliseconds', now() + make_interval(secs => ${leaseSeconds}::int))
    where due_at <= now() and (lease_until is null or lease_until < now())
    returning lease_until as lease`)
  return row?.lease
}

/** False once another process has taken over the round. */
export async function holdsRound(db: Queryable, lease: string): Promise<boolean> {
  const rows = await db.query(sql`select from health_rounds where lease_until = ${lease}`)
  return rows.length > 0
}

export async function finishRound(
  db: Queryable,
  { lease, everySeconds }: { lease: string; everySeconds: number },
): Promise<void> {
  await db.query(sql`
    update health_rounds set lease_until = null,
      due_at = now() + make_interval(secs => ${everySeconds}::int)
    where lease_until = ${lease}`)
}

/** The last recorded severity; undefined for a new service. */
export async function lockHealth(tx: Tx, id: ServiceId): Promise<Severity | undefined> {
  const [row] = await tx.query<{ severity: Severity }>(sql`
    select severity from service_health where id = ${id} for update`)
  return row?.severity
}

export function upsertHealth(
  tx: Tx,
  {
    id,
    verdict,
    figures,
    at,
  }: { id: ServiceId; verdict: HealthVerdict; figures?: Figures; at: Date },
): void {
  const { severity, code, summary, latencyMs } = verdict
  const counted = figures ? JSON.stringify(figures) : null
  tx.write(sql`
    insert into service_health (id, severity, code, summary, latency_ms, figures, checked_at,
      changed_at)
    values (${id}, ${severity}, ${code}, ${summary}, ${latencyMs}, ${counted}, ${at}, ${at})
    on conflict (id) do update set severity = excluded.severity, code = excluded.code,
      summary = excluded.summary, latency_ms = excluded.latency_ms, figures = excluded.figures,
      checked_at = excluded.checked_at,
      changed_at = case when service_health.severity = excluded.severity
        then service_health.changed_at else excluded.changed_at end`)
}

/** Prevents two rounds from recording the same change. */
export function lockRecording(tx: Tx): void {
  tx.write(sql`select pg_advisory_xact_lock(4017551329)`)
}

const executorFacts = (organizationId: string | null) => sql`
  select coalesce(b.organization_id, p.organization_id, u.organization_id, t.organization_id)
      as "organizationId",
    coalesce(u.count, 0)::bigint as "unrecordedPayments",
    b.provider_type as "providerType", b.address, exists (
      select from executor_bindings h where h.organization_id = b.organization_id
        and h.state <> 'disabled' and h.is_held) as "isHeld",
    coalesce(b.native_balance_wei, 0) as "nativeBalanceWei",
    coalesce(b.pays_own_gas, true) as "paysOwnGas",
    floor(extract(epoch from now() - b.balance_read_at))::bigint as "balanceAgeSeconds",
    p.state as "provisioningState",
    coalesce(floor(extract(epoch from now() - p.updated_at)), 0)::bigint
      as "provisioningAgeSeconds"
  from (
    select organization_id, provider_type, address, native_balance_wei, balance_read_at,
      pays_own_gas
    from executor_bindings where state = 'active'
      and (${organizationId}::uuid is null or organization_id = ${organizationId})
  ) b full join (
    select distinct on (organization_id) organization_id, state, updated_at
    from executor_provisionings
    where ${organizationId}::uuid is null or organization_id = ${organizationId}
    order by organization_id, id desc
  ) p on p.organization_id = b.organization_id full join (
    select organization_id, count(*) from unrecorded_payments
    where state = 'open' and (${organizationId}::uuid is null
      or organization_id = ${organizationId})
    group by organization_id
  ) u on u.organization_id = coalesce(b.organization_id, p.organization_id) full join (
    -- They have recovered if nothing else is left to judge.
    select organization_id from executor_health
    where severity <> 'healthy' and (${organizationId}::uuid is null
      or organization_id = ${organizationId})
  ) t on t.organization_id = coalesce(b.organization_id, p.organization_id, u.organization_id)`

export async function findExecutorFacts(
  tx: Reader,
  organizationId: string,
): Promise<ExecutorFacts | undefined> {
  const [row] = await tx.query<ExecutorFacts>(executorFacts(organizationId))
  return row
}

export type ExecutorWithSeverity = ExecutorFacts & { told: Severity | null }

/** Across tenants. Needs the observer's login. */
export async function listExecutorFacts(observer: Queryable): Promise<ExecutorWithSeverity[]> {
  return observer.query<ExecutorWithSeverity>(sql`
    select f.*, h.severity as told from (${executorFacts(null)}) f
    left join executor_health h on h.organization_id = f."organizationId"`)
}

export async function lockExecutorHealth(
  tx: Tx,
  organizationId: string,
): Promise<Severity | undefined> {
  const [row] = await tx.query<{ severity: Severity }>(sql`
    select severity from executor_health where organization_id = ${organizationId} for update`)
  return row?.severity
}

export function upsertExecutorHealth(
  tx: Tx,
  {
    organizationId,
    verdict: { severity, code },
    at,
  }: { organizationId: string; verdict: HealthVerdict; at: Date },
): void {
  tx.write(sql`
    insert into executor_health (organization_id, severity, code, changed_at)
    values (${organizationId}, ${severity}, ${code}, ${at})
    on conflict (organization_id) do update set severity = excluded.severity,
      code = excluded.code, changed_at = excluded.changed_at`)
}

/**
 * Whether the model contributed to each recent report, newest first. Takes the newest rows first,
 * because that query has an index. Needs the observer's login.
 */
export async function listModelAnswers(
  observer: Queryable,
  { since, limit }: { since: Date; limit: number },
): Promise<boolean[]> {
  const rows = await observer.query<{ answered: boolean }>(sql`
    select output -> 'analyst' ->> 'kind' = 'rules_and_model' as answered
    from (select id, output, created_at from reports order by id desc limit ${limit}) r
    where created_at > ${since} order by id desc`)
  return rows.map(({ answered }) => answered)
}
