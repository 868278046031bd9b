/** What an operator looked at stays in the trail: of the organization, or of the service. */
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
