/** Records what operators read, in the organization's trail or in the service's. */
import type { Context } from '#context.ts'
import type { Actor } from './actor.ts'
import { recordChange } from './journal.ts'

export type OperatorRead = {
  operator: Actor
  /** The operation's id in the contract. */
  operation: string
  /** Null for what spans organizations, and for what is not there. */
  organizationId: string | null
  /** What was asked for. */
  data?: Record<string, unknown>
}

/** Before the answer leaves: what cannot be recorded is not shown. */
export async function recordRead(
  ctx: Pick<Context, 'db' | 'clock' | 'ids'>,
  { operator, operation, organizationId, data = {} }: OperatorRead,
): Promise<void> {
  const aggregate =
    organizationId === null
      ? { aggregateType: 'service' as const, aggregateId: operation }
      : { aggregateType: 'organization' as const, aggregateId: organizationId }
  await ctx.db.transaction(organizationId === null ? {} : { organizationId }, (tx) =>
    recordChange(ctx, tx, {
      organizationId,
      actor: operator,
      action: 'operator.read',
      ...aggregate,
      data: { operation, ...data },
    }),
  )
}

/** How often a read that clients repeat by themselves is recorded. */
export const POLLED_READ_SECONDS = 600

type Polled = Map<string, number>

/** When each operator's polled reads were last recorded: in this process, so of this database. */
const recorded = new WeakMap<Context['db'], Polled>()

/**
 * Records a read that clients repeat by themselves (snapshots are polled every 15 seconds, streams
 * reconnect) once in ten minutes for each operator, operation and process. An event for every poll
 * would queue at the lock of the service's trail and say nothing new.
 */
export async function recordPolledRead(
  ctx: Pick<Context, 'db' | 'clock' | 'ids'>,
  read: OperatorRead,
): Promise<void> {
  const polled: Polled = recorded.get(ctx.db) ?? new Map()
  recorded.set(ctx.db, polled)
  const key = JSON.stringify([read.operator.accountId, read.operation, read.organizationId])
  const now = ctx.clock.now().getTime()
  const last = polled.get(key)
  if (last !== undefined && now - last < POLLED_READ_SECONDS * 1000) return
  await recordRead(ctx, read)
  polled.set(key, now)
}
