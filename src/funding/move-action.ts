/** The only writer of funding action states. Records each change. */
import type { Context } from '#context.ts'
import { type Actor, SYSTEM } from '#journal/actor.ts'
import { type AuditAction, integrationChange, recordChange } from '#journal/journal.ts'
import type { Tx } from '#platform/database/database.ts'
import { next } from '#platform/machine.ts'
import type { Severity } from '#platform/severity.ts'
import {
  type ActionRow,
  insertAction,
  type NewAction,
  updateActionDoubted,
  updateActionState,
} from './actions.store.ts'
import { type ActionEvent, fundingActionMachine } from './funding-action.machine.ts'
import { fundingReconciliationMachine } from './funding-reconciliation.machine.ts'

type Recorder = Pick<Context, 'clock' | 'ids'>

const auditActions: Record<ActionEvent, AuditAction> = {
  broadcast: 'funding_action.broadcast',
  confirm: 'funding_action.confirmed',
  deny: 'funding_action.denied',
  fail: 'funding_action.failed',
}

/** Denied is the good outcome of a negative test and the bad one of a deposit. */
function severityOf({ action }: ActionRow, event: ActionEvent): Severity {
  if (event === 'fail') return action === 'deposit' ? 'degraded' : 'action_required'
  return event === 'deny' && action === 'deposit' ? 'degraded' : 'healthy'
}

export type ActionChange = {
  action: ActionRow
  event: ActionEvent
  failureCode?: string | null
  transactionHash?: string | null
  providerReference?: string | null
  balanceAfter?: bigint
  /** Only for the audit trail. */
  data?: Record<string, unknown>
}

/** Returns the action with its new states. */
export async function moveAction(ctx: Recorder, tx: Tx, change: ActionChange): Promise<ActionRow> {
  const { action, event, failureCode = null, transactionHash = null } = change
  const { providerReference = null, balanceAfter = null } = change
  const to = next(fundingActionMachine, { from: action.state, event })
  const reconciliation =
    event === 'broadcast'
      ? action.reconciliationState
      : next(fundingReconciliationMachine, { from: action.reconciliationState, event })
  updateActionState(tx, {
    action,
    to,
    reconciliation,
    failureCode,
    transactionHash,
    providerReference,
    balanceAfter,
    at: ctx.clock.now(),
  })
  await recordAction(ctx, tx, {
    action,
    actor: SYSTEM,
    event: auditActions[event],
    state: to,
    severity: severityOf(action, event),
    data: {
      ...(failureCode !== null && { failureCode }),
      ...(transactionHash !== null && { transactionHash }),
      ...change.data,
    },
  })
  return { ...action, state: to, reconciliationState: reconciliation }
}

/** Marks the outcome as unknown, once: a person should check it. */
export async function doubtAction(ctx: Recorder, tx: Tx, action: ActionRow): Promise<void> {
  if (action.reconciliationState !== 'pending') return
  const { organizationId, id: actionId } = action
  const reconciliation = next(fundingReconciliationMachine, { from: 'pending', event: 'doubt' })
  const at = ctx.clock.now()
  updateActionDoubted(tx, { organizationId, actionId, reconciliation, at })
  await recordAction(ctx, tx, {
    action,
    actor: SYSTEM,
    event: 'funding_action.doubted',
    state: action.state,
    severity: 'degraded',
  })
}

/** Undefined when the key was used before. */
export async function beginAction(
  ctx: Recorder,
  tx: Tx,
  { actor, ...row }: NewAction & { actor: Actor },
): Promise<ActionRow | undefined> {
  const action = await insertAction(tx, row)
  if (!action) return undefined
  const { approvalTransactionHash } = row
  await recordAction(ctx, tx, {
    action,
    actor,
    event: 'funding_action.requested',
    state: 'requested',
    severity: 'healthy',
    data: approvalTransactionHash === null ? {} : { approvalTransactionHash },
  })
  return action
}

const recordAction = (
  ctx: Recorder,
  tx: Tx,
  change: {
    action: ActionRow
    actor: Actor
    event: AuditAction
    state: string
    severity: Severity
    data?: Record<string, unknown>
  },
): Promise<void> => {
  const { action } = change
  const { vaultId, controlId, action: kind } = action
  return recordChange(ctx, tx, {
    organizationId: action.organizationId,
    actor: change.actor,
    action: change.event,
    aggregateType: 'funding_action',
    aggregateId: action.id,
    data: { kind, amount: action.amount.toString(), vaultId, controlId, ...change.data },
    live: integrationChange({
      targetState: change.state,
      severity: change.severity,
      code: change.event.replace('.', '_'),
    }),
  })
}
