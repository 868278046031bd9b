import { component } from '#http/openapi.ts'
import { NextCursor, PageQuery } from '#platform/paging.ts'
import { periodQuery } from '#platform/period.ts'
import { Type } from '#platform/schema.ts'
import {
  described,
  formatted,
  Hash,
  nullable,
  oneOf,
  PosInt,
  Timestamp,
  Uuid,
  visibleAscii,
} from '#platform/values.ts'

const TrailEventSchema = Type.Object(
  {
    id: described(Uuid, 'The event'),
    sequence: Type.Integer({ minimum: 1, description: 'Position in the trail: 1, 2, 3 …' }),
    action: Type.String({ description: 'What happened, such as `expense.created`' }),
    actorRealm: oneOf(['consumer', 'admin', 'system'], {
      description: 'consumer: a member. admin: an operator. system: the service itself.',
    }),
    actorAccountId: described(nullable(Uuid), 'Who did it. Null for the service itself'),
    displayName: nullable(
      Type.String({ description: 'Name of the actor, if known. Operators have none here.' }),
    ),
    aggregateType: Type.String({ description: 'Kind of the thing that changed' }),
    aggregateId: Type.String({ description: 'Id of the thing that changed' }),
    data: Type.Object(
      {},
      {
        additionalProperties: true,
        title: 'AuditData',
        description:
          'What changed, by action: ids, states and short values. Fields are added over time',
      },
    ),
    requestId: nullable(
      Type.String({
        description: '`X-Request-Id` of the request. Null if the service acted on its own',
      }),
    ),
    occurredAt: described(Timestamp, 'When it happened. Pages are ordered by it'),
    hash: described(Hash, 'Covers this event and every event before it in the trail'),
  },
  { $id: 'TrailEvent', 'x-extension': true },
)

export const TrailQuery = Type.Object({
  actor: Type.Optional({ ...Uuid, description: 'Only events of this account' }),
  action: Type.Optional(
    formatted('^[a-z_]+[.][a-z_]+$', 'an action such as expense.created', {
      maxLength: 100,
      description: 'Only events with exactly this action',
    }),
  ),
  aggregateId: Type.Optional(
    visibleAscii({
      minLength: 1,
      maxLength: 200,
      description: 'Only events about this thing, such as an expense',
    }),
  ),
  ...periodQuery('Only events'),
  ...PageQuery.properties,
})

export const TrailPageSchema = Type.Object({
  auditEvents: Type.Array(component(TrailEventSchema), { description: 'Newest first' }),
  nextCursor: NextCursor,
})

export const TrailHeadSchema = Type.Object(
  {
    sequence: described(PosInt, 'Position of the last event, which is the number of events'),
    hash: described(Hash, 'Hash of the last event. It covers every event before it'),
    at: described(Timestamp, 'When the last event happened'),
  },
  {
    $id: 'AuditHead',
    description: 'The last event of the trail.',
    'x-extension': true,
  },
)

export const TrailExportSchema = {
  description:
    'One JSON object per line: `{sequence, event, digest, hash}` for every event in the order of ' +
    'the trail, then `{head: {organizationId, sequence, hash, at}}`. A file without this last ' +
    'line is incomplete.',
  headers: {
    'Content-Disposition': Type.String({
      description: 'A download, named after the organization and the last event',
    }),
  },
  content: { 'application/x-ndjson': { schema: Type.String() } },
}

export const auditComponents = [TrailEventSchema, TrailHeadSchema]
