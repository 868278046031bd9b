/** The only writer of a provisioning's state, and the record of executor changes. */
import type { Context } from '#context.ts'
import type { Actor } from '#journal/actor.ts'
import { type AuditAction, integrationChange, recordChange } from '#journal/journal.ts'
import type { Tx } from '#platform/database/database.ts'
import { next } from '#platform/machine.ts'
import { type ProvisioningEvent, provisioningMachine } from './executor.machine.ts'
import { type Provisioning, updateProvisioningState } from './executor.store.ts'

export type ExecutorContext = Pick<Context, 'db' | 'clock' | 'ids' | 'chain' | 'executor' | 'log'>

/** A retry resets the number of attempts. */
function attemptsAfter({ attempts }: Provisioning, event: ProvisioningEvent): number {
  if (event === 'retry') return 0
  return event === 'start' ? attempts + 1 : attempts
}

export function moveProvisioning(
  ctx: ExecutorContext,
  tx: Tx,
  {
    provisioning,
    event,
    failureCode = null,
  }: {
    provisioning: Provisioning
    event: ProvisioningEvent
    failureCode?: string | null
  },
): void {
  const to = next(provisioningMachine, { from: provisioning.state, event })
  updateProvisioningState(tx, {
    provisioning,
    to,
    attempts: attemptsAfter(provisioning, event),
    failureCode,
    at: ctx.clock.now(),
  })
}

export const recordExecutor = (
  ctx: ExecutorContext,
  tx: Tx,
  change: {
    organizationId: string
    actor: Actor
    action: AuditAction
    id: string
    data: Record<string, unknown>
    state: string
  },
) =>
  recordChange(ctx, tx, {
    organizationId: change.organizationId,
    actor: change.actor,
    action: change.action,
    aggregateType: 'executor',
    aggregateId: change.id,
    data: change.data,
    live: integrationChange({
      targetState: change.state,
      severity: change.state === 'failed' ? 'action_required' : 'healthy',
      code: change.action.replace('.', '_'),
    }),
  })
