import sql from 'sql-template-tag'
import type { Tx } from '#platform/database.ts'

/** The kinds of the interface; members, invitations, recipients and roles are audited only. */
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
  severity: 'healthy' | 'degraded' | 'action_required'
  code: string | null
}

/** The content of an audit event, as its digest sees it. */
export type AuditContent = {
  id: string
  organizationId: string | null
  action: string
  actorRealm: string
  actorAccountId: string | null
  aggregateType: string
  aggregateId: string
  data: unknown
  requestId: string | null
  occurredAt: string
}

export type NewLiveEvent = LiveChange & {
  id: string
  organizationId: string | null
  audience: 'consumer' | 'admin' | 'both'
  aggregateId: string
  occurredAt: string
}

/** `seq` and `hash` are the trigger's: the application cannot choose its place in the chain. */
export async function insertAuditEvent(
  tx: Tx,
  event: AuditContent & { digest: Buffer },
): Promise<void> {
  await tx.query(sql`
    insert into audit_events (id, organization_id, action, actor_realm, actor_account_id,
      aggregate_type, aggregate_id, data, request_id, occurred_at, digest)
    values (${event.id}, ${event.organizationId}, ${event.action}, ${event.actorRealm},
      ${event.actorAccountId}, ${event.aggregateType}, ${event.aggregateId},
      ${JSON.stringify(event.data)}, ${event.requestId}, ${event.occurredAt}, ${event.digest})`)
}

export async function insertLiveEvent(tx: Tx, event: NewLiveEvent): Promise<void> {
  await tx.query(sql`
    insert into live_events (id, organization_id, audience, kind, aggregate_type, aggregate_id,
      target_state, severity, code, occurred_at)
    values (${event.id}, ${event.organizationId}, ${event.audience}, ${event.kind},
      ${event.aggregateType}, ${event.aggregateId}, ${event.targetState}, ${event.severity},
      ${event.code}, ${event.occurredAt})`)
}

/** At most `batch` rows of each kind. */
export async function pruneExpired(tx: Tx, batch: number): Promise<number> {
  const [row] = await tx.query<{ pruned: number }>(sql`
    select prune_expired(${batch}::integer) as pruned`)
  return row?.pruned ?? 0
}

export type AuditRow = AuditContent & { seq: number; digest: Buffer; hash: Buffer }

/** The owner's reading, for verification: one page of one organization's chain, in order. */
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
    occurred_at as "occurredAt", seq, digest, hash
  from audit_events
  where organization_id is not distinct from ${organizationId}::uuid and seq > ${afterSeq}
  order by seq limit ${limit}`

/** Every chain there is or should be, with the end that the trigger recorded. */
export const auditChains = () => sql`
  select o.id as "organizationId", h.seq, h.hash
  from (select id from organizations union all select null::uuid) o
  left join audit_heads h on h.organization_id is not distinct from o.id
  order by o.id nulls first`
