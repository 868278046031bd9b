/** The only writer of an activation's state. */
import type { Context } from '#context.ts'
import { SYSTEM } from '#journal/actor.ts'
import { integrationChange, recordChange } from '#journal/journal.ts'
import type { Tx } from '#platform/database/database.ts'
import { next } from '#platform/machine.ts'
import {
  type ActivationEvent,
  type ActivationState,
  activationMachine,
} from './activation.machine.ts'
import { activationActions } from './activations.actions.ts'
import { type ActivationRow, insertActivation, updateActivation } from './activations.store.ts'

export type MoveActivation = {
  activation: ActivationRow
  event: ActivationEvent
  /** Why an owner has to activate the policy; null while the service can. */
  code?: string | null
  data?: Record<string, unknown>
}

const opens = (event: ActivationEvent): boolean => event === 'writeAhead'
const closes = (event: ActivationEvent): boolean => event === 'confirm' || event === 'fail'

/** False if it has changed since it was read. */
export async function moveActivation(
  ctx: Pick<Context, 'clock' | 'ids'>,
  tx: Tx,
  { activation, event, code = null, data }: MoveActivation,
): Promise<boolean> {
  const { hasOpenAttempt } = activation
  const to = next(activationMachine, { from: activation.state, event })
  const isMoved = await updateActivation(tx, {
    activation,
    to,
    code,
    hasOpenAttempt: opens(event) || (hasOpenAttempt && !closes(event)),
    isRequeued: event === 'queue',
  })
  if (!isMoved) return false
  // A postponement is recorded when its reason changes, not at every pass.
  if (event === 'postpone' && code === activation.code) return true
  await recordActivation(ctx, tx, { activation, event, to, code, data })
  return true
}

/** The proposal is due for the first time. */
export async function addActivation(
  ctx: Pick<Context, 'clock' | 'ids'>,
  tx: Tx,
  activation: Pick<ActivationRow, 'organizationId' | 'id' | 'vaultId' | 'laneId' | 'code'>,
): Promise<void> {
  if (!(await insertActivation(tx, activation))) return
  const { code } = activation
  await recordActivation(ctx, tx, { activation, event: 'queue', to: 'queued', code, data: {} })
}

const recordActivation = (
  ctx: Pick<Context, 'clock' | 'ids'>,
  tx: Tx,
  {
    activation: { organizationId, id, vaultId },
    event,
    to,
    code,
    data,
  }: {
    activation: Pick<ActivationRow, 'organizationId' | 'id' | 'vaultId'>
    event: ActivationEvent
    to: ActivationState
    code: string | null
    data: Record<string, unknown> | undefined
  },
): Promise<void> =>
  recordChange(ctx, tx, {
    organizationId,
    actor: SYSTEM,
    action: activationActions[event],
    aggregateType: 'policy_activation',
    aggregateId: id,
    data: { vaultId, code, ...data },
    live: integrationChange({
      targetState: to,
      severity: code === null ? 'healthy' : 'action_required',
      code: code ?? 'policy_activation',
    }),
  })
