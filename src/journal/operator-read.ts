/** What an operator looked at is told: in the organization's own trail, or in the service's. */
import type { Context } from '#context.ts'
import type { Actor } from './actor.ts'
import { recordChange } from './journal.ts'

export type OperatorRead = {
  actor: Actor
  operation: string
  /** Null when it was of no organization, or of one that is not there. */
  organizationId: string | null
  aggregate: { type: 'organization' | 'ledger_proof' | 'service'; id: string }
}

export const recordOperatorRead = (
  ctx: Pick<Context, 'db' | 'clock' | 'ids'>,
  { actor, operation, organizationId, aggregate }: OperatorRead,
): Promise<void> =>
  ctx.db.transaction(organizationId === null ? {} : { organizationId }, (tx) =>
    recordChange(ctx, tx, {
      organizationId,
      actor,
      action: 'operator.read',
      aggregateType: aggregate.type,
      aggregateId: aggregate.id,
      data: { operation },
    }),
  )
