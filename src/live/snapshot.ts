/**
 * The state a caller sees at one moment: tasks, events and the cursor to continue from, all from
 * one database snapshot, plus service health.
 */
import { isManager, type Member } from '#access/permissions.ts'
import type { Context } from '#context.ts'
import { readServiceHealth } from '#health/read-service-health.ts'
import type { ServiceHealth } from '#health/service-health.ts'
import type { Actor } from '#journal/actor.ts'
import { recordPolledRead } from '#journal/record-read.ts'
import { scopeOf } from '#organizations/actor.ts'
import type { Tx } from '#platform/database/database.ts'
import { type Severity, worstOf } from '#platform/severity.ts'
import type { TRANSPORT_POLICY } from '#platform/transport-policy.ts'
import { encodeCursor, type LiveScope } from './cursor.ts'
import { findLiveEnd, listLatestEvents, type Viewer } from './live.store.ts'
import { type LiveEvent, toLiveEvent } from './live-event.ts'
import { readMemberTasks, readOperatorTasks } from './read-tasks.ts'
import type { Task, TaskList } from './task.ts'

export const EVENTS_MAX = 50

export type LiveSnapshot = {
  serverTime: string
  cursor: string | null
  scope: LiveScope
  transportPolicy: typeof TRANSPORT_POLICY
  severity: Severity
  tasks: Task[]
  tasksTruncated: TaskList['tasksTruncated']
  services: ServiceHealth[]
  events: LiveEvent[]
}

export type SnapshotContext = Pick<Context, 'db' | 'observerDb' | 'clock' | 'ids' | 'secrets'> &
  Parameters<typeof readServiceHealth>[0]

/** What was read at one moment, and how to find out whether it still holds. */
export type SnapshotContent = Pick<
  LiveSnapshot,
  'cursor' | 'tasks' | 'tasksTruncated' | 'events'
> & {
  asOf: string
  mark: string
  /** The clock alone may change the tasks from here on. */
  until: Date
}

export function readMemberContent(ctx: SnapshotContext, member: Member): Promise<SnapshotContent> {
  const { organizationId, accountId } = member
  const scope: LiveScope = { realm: 'consumer', organizationId }
  const viewer = { scope, accountId, seesAll: isManager(member) }
  const read = (tx: Tx) => readContent(ctx, tx, viewer, () => readMemberTasks(ctx, tx, member))
  return ctx.db.transaction(scopeOf(member), read, { isolation: 'snapshot' })
}

export async function readOperatorSnapshot(
  ctx: SnapshotContext,
  operator: Actor & { accountId: string },
): Promise<{ services: ServiceHealth[]; content: SnapshotContent }> {
  const scope: LiveScope = { realm: 'admin', organizationId: null }
  const viewer = { scope, accountId: operator.accountId, seesAll: true }
  const operation = 'getAdminLiveSnapshot'
  await recordPolledRead(ctx, { operator, operation, organizationId: null })
  const services = await readServiceHealth(ctx, { organizationId: null })
  const read = (tx: Tx) => readContent(ctx, tx, viewer, () => readOperatorTasks(ctx, tx))
  const content = await ctx.observerDb.transaction({}, read, { isolation: 'snapshot' })
  return { services, content }
}

async function readContent(
  { secrets }: Pick<SnapshotContext, 'secrets'>,
  tx: Tx,
  viewer: Viewer,
  readTasks: () => Promise<TaskList & { until: Date }>,
): Promise<SnapshotContent> {
  const { scope } = viewer
  const [{ epoch, position, asOf, mark }, rows, taskList] = await Promise.all([
    findLiveEnd(tx, scope),
    listLatestEvents(tx, viewer, EVENTS_MAX),
    readTasks(),
  ])
  return {
    cursor: encodeCursor(secrets.cursorKey, { epoch, scope, position }),
    events: rows.map((row) => toLiveEvent(secrets, row, { epoch, scope })),
    asOf,
    mark,
    ...taskList,
  }
}

/** The worst severity among services, tasks and the listed events. */
export const severityOf = ({
  services,
  tasks,
  events,
}: Pick<LiveSnapshot, 'services' | 'tasks' | 'events'>): Severity => {
  const parts = [...services, ...events].map(({ severity }) => severity)
  parts.push(...tasks.map(severityOfTask))
  return worstOf(parts)
}

/** A task that awaits a signature is normal; a task that is stuck is not. */
const severityOfTask = ({ group, state }: Task): Severity => {
  const isStuck = state === 'blocked' || state === 'failed' || state === 'unrecorded'
  if (group === 'needs_action' && isStuck) return 'action_required'
  return state === 'reconciling' ? 'degraded' : 'healthy'
}
