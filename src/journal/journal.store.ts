import type { AuditContent } from '@countersign/proof/audit-trail.ts'
import sql, { type Sql } from 'sql-template-tag'
import type { Reader, Tx } from '#platform/database/database.ts'
import type { Severity } from '#platform/severity.ts'

/** The kinds of the contract. Members, invitations, recipients and vaults are integrations. */
export type LiveChange = (
  | { kind: 'expense.changed'; aggregateType: 'expense' }
  | { kind: 'agent_run.changed'; aggregateType: 'agent_run' }
  | { kind: 'approval.changed'; aggregateType: 'approval' }
  | { kind: 'payment.changed'; aggregateType: 'payment' }
  | { kind: 'support_case.changed'; aggregateType: 'support_case' }
  | { kind: 'integration.changed'; aggregateType: 'integration' }
  | { kind: 'service.changed'; aggregateType: 'service' }
) & {
  targetState: string | null
  severity: Severity
  code: string | null
}

export type NewLiveEvent = LiveChange & {
  id: string
  organizationId: string | null
  audience: 'consumer' | 'admin' | 'both'
  aggregateId: string
  occurredAt: string
}

/**
 * Inserts in this order. The trigger sets `seq`, `hash` and `recorded_at`, recomputes the digest
 * from the row and rejects a different one.
 */
export function insertAuditEvents(
  tx: Tx,
  events: readonly (AuditContent & { digest: Buffer })[],
): void {
  tx.write(sql`
    insert into audit_events (id, organization_id, action, actor_realm, actor_account_id,
      aggregate_type, aggregate_id, data, request_id, occurred_at, digest)
    select n.id, n.organization_id, n.action, n.actor_realm, n.actor_account_id, n.aggregate_type,
      n.aggregate_id, n.data::jsonb, n.request_id, n.occurred_at, decode(n.digest, 'hex')
    from unnest(${events.map(({ id }) => id)}::uuid[],
      ${events.map(({ organizationId }) => organizationId)}::uuid[],
      ${events.map(({ action }) => action)}::text[],
      ${events.map(({ actorRealm }) => actorRealm)}::text[],
      ${events.map(({ actorAccountId }) => actorAccountId)}::uuid[],
      ${events.map(({ aggregateType }) => aggregateType)}::text[],
      ${events.map(({ aggregateId }) => aggregateId)}::text[],
      ${events.map(({ data }) => JSON.stringify(data))}::text[],
      ${events.map(({ requestId }) => requestId)}::text[],
      ${events.map(({ occurredAt }) => occurredAt)}::timestamptz[],
      ${events.map(({ digest }) => digest.toString('hex'))}::text[]) with ordinality
      as n (id, organization_id, action, actor_realm, actor_account_id, aggregate_type,
        aggregate_id, data, request_id, occurred_at, digest, place)
    order by n.place`)
}

export function insertLiveEvents(tx: Tx, events: readonly NewLiveEvent[]): void {
  tx.write(sql`
    insert into live_events (id, organization_id, audience, kind, aggregate_type, aggregate_id,
      target_state, severity, code, occurred_at)
    select n.id, n.organization_id, n.audience, n.kind, n.aggregate_type, n.aggregate_id,
      n.target_state, n.severity, n.code, n.occurred_at
    from unnest(${events.map(({ id }) => id)}::uuid[],
      ${events.map(({ organizationId }) => organizationId)}::uuid[],
      ${events.map(({ audience }) => audience)}::text[],
      ${events.map(({ kind }) => kind)}::text[],
      ${events.map(({ aggregateType }) => aggregateType)}::text[],
      ${events.map(({ aggregateId }) => aggregateId)}::text[],
      ${events.map(({ targetState }) => targetState)}::text[],
      ${events.map(({ severity }) => severity)}::text[],
      ${events.map(({ code }) => code)}::text[],
      ${events.map(({ occurredAt }) => occurredAt)}::timestamptz[]) with ordinality
      as n (id, organization_id, audience, kind, aggregate_type, aggregate_id, target_state,
        severity, code, occurred_at, place)
    order by n.place`)
  tx.announce()
}

/** The last event of a trail. Its hash covers everything before it. */
export type TrailHead = { sequence: number; hash: string }

const headColumns = sql`seq as sequence, '0x' || encode(hash, 'hex') as hash`

/**
 * The last committed head, without a lock. Read it before the transaction's first journal write.
 */
export async function findTrailHead(reader: Reader, organizationId: string): Promise<TrailHead> {
  const [head] = await reader.query<TrailHead>(sql`
    select ${headColumns} from audit_heads where organization_id = ${organizationId}`)
  if (!head) throw new Error(`Organization ${organizationId} has no audit trail`)
  return head
}

/** At most `batch` rows of each kind. */
export async function pruneExpired(tx: Tx, batch: number): Promise<number> {
  const [row] = await tx.query<{ pruned: number }>(sql`
    select prune_expired(${batch}::integer) as pruned`)
  return row?.pruned ?? 0
}

export type AuditRow = AuditContent & {
  seq: number
  digest: Buffer
  hash: Buffer
  /** The application's clock minus the database's; null where the database recorded no time. */
  clockDifferenceMs: number | null
}

/** The condition of one trail: `is not distinct from` would use no index. */
export const inTrail = (organizationId: string | null): Sql =>
  organizationId === null
    ? sql`organization_id is null`
    : sql`organization_id = ${organizationId}::uuid`

/** For verification: one page of one organization's chain, in order. */
export const auditPage = ({
  organizationId,
  afterSeq,
  limit,
}: {
  organizationId: string | null
  afterSeq: number
  limit: number
}) => sql`
  select id, organization_id as "organizationId", action, actor_realm as "actorRealm",
    actor_account_id as "actorAccountId", aggregate_type as "aggregateType",
    aggregate_id as "aggregateId", data, request_id as "requestId",
    occurred_at as "occurredAt", seq, digest, hash,
    (extract(epoch from occurred_at - recorded_at) * 1000)::bigint as "clockDifferenceMs"
  from audit_events
  where ${inTrail(organizationId)} and seq > ${afterSeq}
  order by seq limit ${limit}`

/** Every chain that exists or should exist, with the end that the trigger recorded. */
export const auditChains = () => sql`
  select o.id as "organizationId", h.seq, h.hash
  from (select id from organizations union all select null::uuid) o
  left join audit_heads h on h.organization_id is not distinct from o.id
  order by o.id nulls first`

/** The hashes of given events in an organization's chain. */
export const listTrailHashes = ({
  organizationId,
  sequences,
}: {
  organizationId: string
  sequences: readonly number[]
}) => sql`
  select ${headColumns} from audit_events
  where organization_id = ${organizationId} and seq = any (${[...sequences]}::bigint[])`

/** The head of every chain that has one; the service's own chain comes first. */
export const auditHeads = () => sql`
  select organization_id as "organizationId", ${headColumns}
  from audit_heads order by organization_id nulls first`
