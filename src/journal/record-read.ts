/** Records reads by operators, in the organization's trail or in the service's own. */
import type { Context } from '#context.ts'
import type { Actor } from './actor.ts'
import { recordChange } from './journal.ts'

export type OperatorRead = {
  operator: Actor
  /** The operation's id in the OpenAPI document. */
  operation: string
  /** Null for reads that span organizations, and for a missing organization. */
  organizationId: string | null
  /** The parameters of the read. */
  data?: Record<string, unknown>
}

/** Call it before answering: what cannot be recorded is not shown. */
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

/** How often a read that clients repeat automatically is recorded. */
export const POLLED_READ_SECONDS = 600

type Polled = Map<string, number>

/** When each operator's polled reads were last recorded in this process, per database. */
const recorded = new WeakMap<Context['db'], Polled>()

/**
 * Records a read that clients repeat automatically (snapshots are polled, streams reconnect) once
 * in ten minutes per operator, operation and process. An event for every poll would contend for the
 * lock of the service's trail and add nothing.
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
