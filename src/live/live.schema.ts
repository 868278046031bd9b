import { component } from '#http/openapi.ts'
import { Type } from '#platform/schema.ts'
import { severities } from '#platform/severity.ts'
import { TRANSPORT_POLICY } from '#platform/transport-policy.ts'
import {
  added,
  BaseUnits,
  described,
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
import { actionIds, taskGroups } from './task.ts'
import { DETAIL_MAX, TITLE_MAX } from './task-text.ts'

const text = (description: string, { max, min = 1 }: { max: number; min?: number }) =>
  Type.String({ minLength: min, maxLength: max, description })

const severity = (description: string) => oneOf(severities, { description })
const AggregateTypeSchema = oneOf(
  [
    ...(['expense', 'agent_run', 'approval', 'payment', 'support_case'] as const),
    ...(['integration', 'service'] as const),
  ],
  {
    description:
      'The kind of thing. `integration` covers members, recipients, vaults, webhooks and ' +
      'everything else without a kind of its own',
  },
)
const aggregateId = Type.String({
  minLength: 1,
  description: 'The id of the thing, to read it with its own operation',
})
const scopeOrganization = (description: string) => nullable(described(Uuid, description))
const CursorSchema = urlSafeToken({ minLength: 8, maxLength: 512 })

const TaskActionSchema = Type.Object(
  {
    id: oneOf(actionIds, {
      description: 'What the caller can do. The service accepts it in the state shown',
    }),
    label: text('In English, for a button', { max: 80 }),
    intent: oneOf(['view', 'financial'], {
      description: '`financial` if it leads to a payment, otherwise `view`',
    }),
  },
  { title: 'TaskAction' },
)

const TaskSchema = Type.Object(
  {
    id: Type.String({ minLength: 1, description: '`aggregateType`, a colon and `aggregateId`' }),
    organizationId: scopeOrganization('The organization that it belongs to'),
    aggregateType: AggregateTypeSchema,
    aggregateId,
    title: text('One line: the purpose of the expense, the subject of the case, or the problem', {
      max: TITLE_MAX,
    }),
    detail: text(
      'What is due. Members see the amount and the recipient, operators the organization',
      { max: DETAIL_MAX },
    ),
    state: text('The state of the thing, as in its own operation', { max: 80 }),
    group: oneOf(taskGroups, {
      description:
        '`needs_action`: this caller can act. `in_progress`: somebody else can, or nobody needs ' +
        'to. `recently_completed`: it ended in the last 24 hours.',
    }),
    updatedAt: described(Timestamp, 'When the thing last changed'),
    actions: Type.Array(TaskActionSchema, { description: 'What this caller can do now' }),
    expenseId: nullable(
      added(Uuid, 'The expense, which the requests of the actions need. Null without one'),
    ),
    expenseRevision: nullable(
      added(NonNeg, 'The current revision of the expense. Null without an expense'),
    ),
    amountBaseUnits: nullable(
      added(BaseUnits, 'The amount that `detail` names, for showing it in another language'),
    ),
    recipientLabel: nullable(
      added(Type.String(), 'The name of the recipient that `detail` names. Null if it has none'),
    ),
    code: nullable(
      added(
        Type.String(),
        'Why it is blocked, for programs: a `blockCode`, or the `failureCode` of an analysis ' +
          'run. Null if it is not',
      ),
    ),
    deadline: nullable(
      added(
        Timestamp,
        'Until when a prepared approval can be signed, or when a policy that waits comes into ' +
          'force, or until when it can be activated. Null for everything else',
      ),
    ),
    organizationName: nullable(
      added(Type.String(), 'For operators: the name of the organization. Null for members'),
    ),
    priority: nullable(
      added(NonNeg, 'The priority of a support case, 3 being the highest. Null for all else'),
    ),
    requiredApprovals: nullable(
      added(NonNeg, 'How many approvers must sign an expense. Null unless it awaits approval'),
    ),
    signedApprovals: nullable(
      added(NonNeg, 'How many have signed it. Null unless it awaits approval'),
    ),
    vaultId: nullable(added(Uuid, 'The vault in which a policy waits. Null for everything else')),
  },
  { $id: 'Task', description: 'Something in progress, and what the caller can do about it' },
)

const ServiceHealthSchema = Type.Object(
  {
    id: Type.String({
      minLength: 1,
      description:
        '`database`, `worker`, `chain`, `executor`, `analyst`, `push`, `identity` or `wallets`',
    }),
    service: text('The name to show to people', { max: 120 }),
    environment: nullable(
      text('The environment of the deployment, such as `production`', { max: 80 }),
    ),
    severity: severity(
      '`degraded`: it works, but worse than it should. `action_required`: somebody must act',
    ),
    summary: text('What was found. Operators also read what to do', { max: 300 }),
    heartbeatAgeSeconds: nullable(
      described(NonNeg, 'Seconds since the last heartbeat. Null except for `worker`'),
    ),
    latencyMs: nullable(
      described(NonNeg, 'How long the last probe took to be answered. Null if it measures nothing'),
    ),
    code: nullable(
      text('What is wrong, for programs, such as `queue_slow`. Null if nothing is', {
        min: 0,
        max: 100,
      }),
    ),
    checkedAt: described(Timestamp, 'When it was last probed. Workers probe every 15 seconds'),
    provider: nullable(text('The kind or product that serves it', { min: 0, max: 120 })),
    deployment: nullable(text('The version of the service that runs', { min: 0, max: 200 })),
  },
  { $id: 'ServiceHealth', description: 'The health of a service that the product depends on' },
)

/** The kinds of changes. Streams also send `stream.reset`, which is no event of the journal. */
export const liveKinds = [
  ...(['expense.changed', 'agent_run.changed', 'approval.changed', 'payment.changed'] as const),
  ...(['support_case.changed', 'integration.changed', 'service.changed'] as const),
] as const

export const LiveEventSchema = Type.Object(
  {
    id: described(Uuid, 'The same in every delivery, also to webhooks'),
    cursor: described(CursorSchema, 'Resume a stream directly after this event'),
    organizationId: scopeOrganization('The organization. Null for an event of the whole service'),
    audience: oneOf(['consumer', 'admin', 'both'], {
      description: 'Who receives it: members, operators, or both',
    }),
    kind: oneOf([...liveKinds, 'stream.reset'], {
      description:
        'What changed. `stream.reset` changes nothing: read the snapshot again, because events ' +
        'may be missing',
    }),
    aggregateType: AggregateTypeSchema,
    aggregateId,
    targetState: nullable(
      text('The state after the change. Null if it has none', { min: 0, max: 80 }),
    ),
    severity: severity('How urgent the change is for those who receive it'),
    code: nullable(
      text(
        'What happened, for programs, such as `member_joined`; for `stream.reset` the reason. ' +
          'Null if the state says it all',
        { min: 0, max: 100 },
      ),
    ),
    occurredAt: described(Timestamp, 'When it happened'),
  },
  {
    $id: 'LiveEvent',
    description:
      'A change, without amounts or names: read the thing for those. Streams send it as `data` ' +
      'of a Server-Sent Event, snapshots list the latest',
  },
)

const seconds = (value: number, description: string) =>
  Type.Integer({ minimum: value, maximum: value, description })

const ScopeSchema = Type.Object(
  {
    realm: oneOf(['consumer', 'admin'], { description: 'The realm of the caller' }),
    organizationId: scopeOrganization('Null for operators, who see all organizations'),
  },
  { title: 'LiveScope', description: 'What the snapshot covers' },
)

const TransportPolicySchema = Type.Object(
  {
    keepaliveSeconds: seconds(
      TRANSPORT_POLICY.keepaliveSeconds,
      'A stream sends a comment at least this often',
    ),
    staleAfterSeconds: seconds(
      TRANSPORT_POLICY.staleAfterSeconds,
      'Reconnect if a stream sent nothing for this long',
    ),
    snapshotPollSeconds: seconds(
      TRANSPORT_POLICY.snapshotPollSeconds,
      'Wait this long between two snapshots if you have no stream',
    ),
    maxConnectionSeconds: seconds(
      TRANSPORT_POLICY.maxConnectionSeconds,
      'The server ends a stream after this time. Resume with its last id',
    ),
  },
  { title: 'TransportPolicy', description: 'Intervals for streams and polling' },
)

export const LiveSnapshotSchema = Type.Object(
  {
    serverTime: described(Timestamp, 'The time of the server'),
    cursor: nullable(
      described(
        CursorSchema,
        'Send it as `cursor` of the stream: nothing is missed in between. It is always set',
      ),
    ),
    scope: ScopeSchema,
    transportPolicy: TransportPolicySchema,
    severity: severity('The worst of the services, the listed events and the tasks'),
    tasks: Type.Array(component(TaskSchema), {
      description: 'By group, in each the newest first; at most 50 of each group',
    }),
    tasksTruncated: Type.Optional(
      Type.Array(oneOf(taskGroups), {
        description:
          'Groups that have, or may have, more tasks than are listed. `GET …/expenses` with ' +
          '`waitingFor=me` lists all expenses that wait for the caller',
        ...extension,
      }),
    ),
    services: Type.Array(component(ServiceHealthSchema), {
      description: 'The health of all services, always in the same order',
    }),
    events: Type.Array(Type.Unsafe<LiveEvent>(component(LiveEventSchema)), {
      maxItems: EVENTS_MAX,
      description: 'The latest events that the caller may see, newest first',
    }),
  },
  { $id: 'LiveSnapshot', description: 'What a caller sees at one moment' },
)

const { tasks, tasksTruncated, events, cursor, ...head } = LiveSnapshotSchema.properties

/** What is serialised once and sent again while nothing changes, and what is new every time. */
export const SnapshotContentSchema = Type.Object({ cursor, tasks, tasksTruncated, events })
export const SnapshotHeadSchema = Type.Object(head)

export const liveComponents = [TaskSchema, ServiceHealthSchema, LiveEventSchema, LiveSnapshotSchema]
