/** SQL for reading one audit trail: pages for people, in order of time, and pages for an export. */
import type { AuditContent } from '@countersign/proof/audit-trail.ts'
import sql, { type Sql } from 'sql-template-tag'
import { timestampToMilliseconds } from '#platform/clock.ts'
import type { Reader } from '#platform/database/database.ts'
import { inTrail, type TrailHead } from './journal.store.ts'

/** `from` is included, `to` is not. */
export type TrailFilter = {
  actor?: string
  action?: string
  aggregateId?: string
  from?: string
  to?: string
}

/** Pages are in order of time, and in the trail's order where two times are equal. */
export type TrailPlace = { occurredAt: string; sequence: number }

export type TrailEvent = TrailPlace & {
  id: string
  action: string
  actorRealm: 'consumer' | 'admin' | 'system'
  actorAccountId: string | null
  /** Of the actor, where the reader may see it: a tenant sees the names of its own members. */
  displayName: string | null
  aggregateType: string
  aggregateId: string
  data: Record<string, unknown>
  requestId: string | null
  hash: string
}

type Trail = { organizationId: string | null }

/** Undefined if the trail has no such event. */
export async function findTrailPlace(
  reader: Reader,
  { organizationId, eventId }: Trail & { eventId: string },
): Promise<TrailPlace | undefined> {
  const [row] = await reader.query<TrailPlace>(sql`
    select occurred_at as "occurredAt", seq as sequence from audit_events
    where id = ${eventId}::uuid and ${inTrail(organizationId)}`)
  return row
}

/** By number, because PostgreSQL reads no date of the year 0. */
const instant = (timestamp: string): Sql =>
  sql`to_timestamp(${timestampToMilliseconds(timestamp)}::double precision / 1000)`

/** Omits unused filters from the statement, because each has its own index. */
function matching({ actor, action, aggregateId, from, to }: TrailFilter): Sql {
  const conditions = [
    ...(actor === undefined ? [] : [sql`actor_account_id = ${actor}::uuid`]),
    ...(action === undefined ? [] : [sql`action = ${action}`]),
    ...(aggregateId === undefined ? [] : [sql`aggregate_id = ${aggregateId}`]),
    ...(from === undefined ? [] : [sql`occurred_at >= ${instant(from)}`]),
    ...(to === undefined ? [] : [sql`occurred_at < ${instant(to)}`]),
  ]
  return conditions.reduce((all, one) => sql`${all} and ${one}`, sql`true`)
}

const olderThan = (place: TrailPlace | undefined): Sql =>
  place === undefined
    ? sql`true`
    : sql`(occurred_at, seq) < (${place.occurredAt}::timestamptz, ${place.sequence}::bigint)`

/**
 * Newest first. The order names the trail, because PostgreSQL does not see that `is null` leaves
 * one value only, and would sort the whole trail of the service.
 */
export const listTrailEvents = (
  reader: Reader,
  {
    organizationId,
    filter,
    before,
    limit,
  }: Trail & { filter: TrailFilter; before: TrailPlace | undefined; limit: number },
): Promise<TrailEvent[]> =>
  reader.query<TrailEvent>(sql`
    select e.id, e.seq as sequence, e.action, e.actor_realm as "actorRealm",
      e.actor_account_id as "actorAccountId",
      (select p.display_name from profiles p where p.account_id = e.actor_account_id)
        as "displayName",
      e.aggregate_type as "aggregateType", e.aggregate_id as "aggregateId", e.data,
      e.request_id as "requestId", e.occurred_at as "occurredAt",
      '0x' || encode(e.hash, 'hex') as hash
    from audit_events e
    where ${inTrail(organizationId)} and ${matching(filter)} and ${olderThan(before)}
    order by e.organization_id desc, e.occurred_at desc, e.seq desc limit ${limit}`)

export type CausedBy = { aggregateId: string; requestId: string; lastAtMs: number }

/** By aggregate: the request of the newest such action, and the time of the last event. */
export const listCauses = (
  reader: Reader,
  {
    organizationId,
    aggregateIds,
    actions,
  }: { organizationId: string; aggregateIds: readonly string[]; actions: readonly string[] },
): Promise<CausedBy[]> =>
  reader.query<CausedBy>(sql`
    select e.aggregate_id as "aggregateId", 
      (extract(epoch from max(e.occurred_at)) * 1000)::bigint as "lastAtMs",
      (array_agg(e.request_id order by e.seq desc) filter (
        where e.action = any(${actions}) and e.request_id is not null))[1] as "requestId"
    from audit_events e
    where e.organization_id = ${organizationId} and e.aggregate_id = any(${aggregateIds}::text[])
    group by e.aggregate_id
    having bool_or(e.action = any(${actions}) and e.request_id is not null)`)

/** A head with the time of its event. */
export type DatedHead = TrailHead & { at: string }

export async function findDatedHead(
  reader: Reader,
  organizationId: string,
): Promise<DatedHead | undefined> {
  const [row] = await reader.query<DatedHead>(sql`
    select h.seq as sequence, '0x' || encode(h.hash, 'hex') as hash, e.occurred_at as at
    from audit_heads h
    join audit_events e on e.organization_id = h.organization_id and e.seq = h.seq
    where h.organization_id = ${organizationId}`)
  return row
}

export type ExportedEvent = AuditContent & { sequence: number; digest: string; hash: string }

/** In the order of the trail. */
export const listExportedEvents = (
  reader: Reader,
  {
    organizationId,
    after,
    upTo,
    limit,
  }: { organizationId: string; after: number; upTo: number; limit: number },
): Promise<ExportedEvent[]> =>
  reader.query<ExportedEvent>(sql`
    select id, organization_id as "organizationId", action, actor_realm as "actorRealm",
      actor_account_id as "actorAccountId", aggregate_type as "aggregateType",
      aggregate_id as "aggregateId", data, request_id as "requestId",
      occurred_at as "occurredAt", seq as sequence, '0x' || encode(digest, 'hex') as digest,
      '0x' || encode(hash, 'hex') as hash
    from audit_events
    where organization_id = ${organizationId} and seq > ${after} and seq <= ${upTo}
    order by seq limit ${limit}`)
