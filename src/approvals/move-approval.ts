/** The only writer of an approval's state. */
import type { Context } from '#context.ts'
import type { Actor } from '#journal/actor.ts'
import { recordChange } from '#journal/journal.ts'
import type { BlockCode } from '#platform/block-codes.ts'
import type { Tx } from '#platform/database/database.ts'
import { AppError } from '#platform/errors.ts'
import { next } from '#platform/machine.ts'
import { type ApprovalEvent, type ApprovalState, approvalMachine } from './approval.machine.ts'
import { approvalActions } from './approvals.actions.ts'
import {
  type ApprovalRow,
  listOpenApprovals,
  lockApproval,
  updateApprovalState,
} from './approvals.store.ts'

type MoveContext = Pick<Context, 'clock' | 'ids'>

export type MoveApproval = {
  /** As read under lock. */
  approval: ApprovalRow
  event: ApprovalEvent
  actor: Actor
  signature?: string
  endCode?: BlockCode
  transactionHash?: string
}

export async function moveApproval(
  ctx: MoveContext,
  tx: Tx,
  { approval, event, actor, signature, endCode, transactionHash }: MoveApproval,
): Promise<void> {
  const to = next(approvalMachine, { from: approval.state, event })
  const at = ctx.clock.now()
  const moved = await updateApprovalState(tx, {
    approval,
    to,
    signature: signature ?? approval.signature,
    endCode: endCode ?? null,
    transactionHash: transactionHash ?? approval.invalidationTransactionHash,
    at,
  })
  if (!moved) throw new AppError('state_conflict')
  const data = { from: approval.state, to, endCode: endCode ?? null }
  await recordApproval(ctx, tx, { approval, event, to, actor, data })
}

/** Supersedes what was prepared and not signed. `endApproval` ends signed ones. */
export async function supersedePrepared(
  ctx: MoveContext,
  tx: Tx,
  { actor, ...where }: { organizationId: string; expenseId: string; actor: Actor },
): Promise<void> {
  const { organizationId } = where
  for (const { id: approvalId } of await listOpenApprovals(tx, where)) {
    const approval = await lockApproval(tx, { organizationId, approvalId })
    if (approval?.state !== 'prepared') continue
    await moveApproval(ctx, tx, { approval, event: 'supersede', actor })
  }
}

/** Omits the signature, which nobody needs in the trail. */
export const recordApproval = (
  ctx: MoveContext,
  tx: Tx,
  {
    approval,
    event,
    to,
    actor,
    data,
  }: {
    approval: Pick<ApprovalRow, 'id' | 'organizationId' | 'expenseId' | 'expenseRevision'>
    event: keyof typeof approvalActions
    to: ApprovalState
    actor: Actor
    data: Record<string, unknown>
  },
): Promise<void> =>
  recordChange(ctx, tx, {
    organizationId: approval.organizationId,
    actor,
    action: approvalActions[event],
    aggregateType: 'approval',
    aggregateId: approval.id,
    data: { expenseId: approval.expenseId, revision: approval.expenseRevision, ...data },
    live: {
      kind: 'approval.changed',
      aggregateType: 'approval',
      targetState: to,
      severity: to === 'invalidated' ? 'action_required' : 'healthy',
      code: `approval_${event}`,
    },
  })
