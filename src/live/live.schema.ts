import { Type } from 'typebox'
import { component } from '#http/openapi.ts'
import { severities } from '#platform/severity.ts'
import { TRANSPORT_POLICY } from '#platform/transport-policy.ts'
import {
  extension,
  NonNeg,
  nullable,
  oneOf,
  Timestamp,
  Uuid,
  urlSafeToken,
} from '#platform/values.ts'
import type { LiveEvent } from './live-event.ts'
import { EVENTS_MAX } from './snapshot.ts'
import { DETAIL_MAX, TITLE_MAX } from './task-text.ts'
import { actionIds, taskGroups } from './tasks.ts'

const text = (maxLength: number, minLength = 1) => Type.String({ minLength, maxLength })

const SeveritySchema = oneOf(severities)
const AggregateTypeSchema = oneOf([
  ...(['expense', 'agent_run', 'approval', 'payment', 'support_case'] as const),
  ...(['integration', 'service'] as const),
])
const CursorSchema = urlSafeToken({ minLength: 8, maxLength: 512 })

const TaskActionSchema = Type.Object({
  id: oneOf(actionIds),
  label: text(80),
  intent: oneOf(['view', 'financial']),
})

const TaskSchema = Type.Object(
  {
    id: Type.String({ minLength: 1 }),
    organizationId: nullable(Uuid),
    aggregateType: AggregateTypeSchema,
    aggregateId: Type.String({ minLength: 1 }),
    title: text(TITLE_MAX),
    detail: text(DETAIL_MAX),
    state: text(80),
    group: oneOf(taskGroups),
    updatedAt: Timestamp,
    actions: Type.Array(TaskActionSchema),
    expenseId: nullable({ ...Uuid, ...extension }),
    expenseRevision: nullable({ ...NonNeg, ...extension }),
  },
  { $id: 'Task' },
)

const ServiceHealthSchema = Type.Object(
  {
    id: Type.String({ minLength: 1 }),
    service: text(120),
    environment: nullable(text(80)),
    severity: SeveritySchema,
    summary: text(300),
    heartbeatAgeSeconds: nullable(NonNeg),
    latencyMs: nullable(NonNeg),
    code: nullable(text(100, 0)),
    checkedAt: Timestamp,
    provider: nullable(text(120, 0)),
    deployment: nullable(text(200, 0)),
  },
  { $id: 'ServiceHealth' },
)

/** The kinds of changes. Streams also send `stream.reset`, which is no event of the journal. */
export const liveKinds = [
  ...(['expense.changed', 'agent_run.changed', 'approval.changed', 'payment.changed'] as const),
  ...(['support_case.changed', 'integration.changed', 'service.changed'] as const),
] as const

const LiveEventSchema = Type.Object(
  {
    id: Uuid,
    cursor: CursorSchema,
    organizationId: nullable(Uuid),
    audience: oneOf(['consumer', 'admin', 'both']),
    kind: oneOf([...liveKinds, 'stream.reset']),
    aggregateType: AggregateTypeSchema,
    aggregateId: Type.String({ minLength: 1 }),
    targetState: nullable(text(80, 0)),
    severity: SeveritySchema,
    code: nullable(text(100, 0)),
    occurredAt: Timestamp,
  },
  { $id: 'LiveEvent' },
)

const seconds = (value: number) => Type.Integer({ minimum: value, maximum: value })

export const LiveSnapshotSchema = Type.Object(
  {
    serverTime: Timestamp,
    cursor: nullable(CursorSchema),
    scope: Type.Object({
      realm: oneOf(['consumer', 'admin']),
      organizationId: nullable(Uuid),
    }),
    transportPolicy: Type.Object({
      keepaliveSeconds: seconds(TRANSPORT_POLICY.keepaliveSeconds),
      staleAfterSeconds: seconds(TRANSPORT_POLICY.staleAfterSeconds),
      snapshotPollSeconds: seconds(TRANSPORT_POLICY.snapshotPollSeconds),
      maxConnectionSeconds: seconds(TRANSPORT_POLICY.maxConnectionSeconds),
    }),
    severity: SeveritySchema,
    tasks: Type.Array(component(TaskSchema)),
    services: Type.Array(component(ServiceHealthSchema)),
    events: Type.Array(Type.Unsafe<LiveEvent>(component(LiveEventSchema)), {
      maxItems: EVENTS_MAX,
    }),
  },
  { $id: 'LiveSnapshot' },
)

export const liveComponents = [TaskSchema, ServiceHealthSchema, LiveEventSchema, LiveSnapshotSchema]
