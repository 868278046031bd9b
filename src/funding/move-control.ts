/** The only writer of funding control states. Records each change. */
import type { Context } from '#context.ts'
import type { Actor } from '#journal/actor.ts'
import { type AuditAction, integrationChange, recordChange } from '#journal/journal.ts'
import type { Tx } from '#platform/database/database.ts'
import { enqueue } from '#platform/jobs/jobs.ts'
import { next } from '#platform/machine.ts'
import type { Severity } from '#platform/severity.ts'
import { type ControlRow, updateControlState } from './controls.store.ts'
import { type ControlEvent, fundingControlMachine } from './funding-control.machine.ts'

type Recorder = Pick<Context, 'clock' | 'ids'>

const changes: Record<ControlEvent, { action: AuditAction; severity: Severity }> = {
  attach: { action: 'funding_control.attached', severity: 'healthy' },
  verify: { action: 'funding_control.verified', severity: 'healthy' },
  revoke: { action: 'funding_control.revoked', severity: 'healthy' },
  fail: { action: 'funding_control.failed', severity: 'action_required' },
}
const unverified = { action: 'funding_control.unverified', severity: 'degraded' } as const

export type ControlMove = {
  control: ControlRow
  event: ControlEvent
  actor: Actor
  reference?: Uint8Array
  /** The provider has just been read back. */
  isReadBack?: boolean
  failureCode?: string
}

/**
 * Returns the control with its new state. A job detaches the signer of an ended control, even if it
 * was never reported as attached: that answer may have been lost.
 */
export async function moveControl(ctx: Recorder, tx: Tx, move: ControlMove): Promise<ControlRow> {
  const { control, event, actor, reference = null, failureCode = null } = move
  const at = ctx.clock.now()
  const to = next(fundingControlMachine, { from: control.state, event })
  const readbackAt = move.isReadBack ? at : null
  updateControlState(tx, { control, to, reference, readbackAt, failureCode, at })
  if (event === 'revoke' || event === 'fail') enqueueDetachment(tx, control)
  const isUnverified = event === 'attach' && failureCode !== null
  const { action, severity } = isUnverified ? unverified : changes[event]
  const data = failureCode === null ? {} : { failureCode }
  await recordControl(ctx, tx, { control, actor, action, severity, state: to, data })
  return {
    ...control,
    state: to,
    reference: reference === null ? control.reference : Buffer.from(reference),
    readbackAt: readbackAt?.toISOString() ?? control.readbackAt,
    failureCode,
  }
}

function enqueueDetachment(tx: Tx, control: ControlRow): void {
  const { organizationId, id: controlId } = control
  enqueue(tx, 'detach_funding', { organizationId, controlId }, { key: `detach:${controlId}` })
}

export const recordControl = (
  ctx: Recorder,
  tx: Tx,
  change: {
    control: ControlRow
    actor: Actor
    action: AuditAction
    severity: Severity
    state: string
    data?: Record<string, unknown>
  },
): Promise<void> => {
  const { control } = change
  const { vaultId, walletId, provider, signerId, policyId } = control
  return recordChange(ctx, tx, {
    organizationId: control.organizationId,
    actor: change.actor,
    action: change.action,
    aggregateType: 'funding_control',
    aggregateId: control.id,
    data: { vaultId, walletId, provider, signerId, policyId, ...change.data },
    live: integrationChange({
      targetState: change.state,
      severity: change.severity,
      code: change.action.replace('.', '_'),
    }),
  })
}
