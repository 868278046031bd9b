/**
 * Rule 11: when the chain is ahead of the database (an old backup was restored, or the key was used
 * elsewhere), the lane only observes. The hold ends when the follower has read up to the chain's
 * nonce and every payment there is matched.
 */
import { findPosition } from '#chain/chain.store.ts'
import type { Context } from '#context.ts'
import { lockLane, updateHold } from '#executor/lane.ts'
import { lockExpense } from '#expenses/expenses.store.ts'
import { SYSTEM } from '#journal/actor.ts'
import { type AuditAction, integrationChange, recordChange } from '#journal/journal.ts'
import type { FencingToken, WriteOutcome } from '#payments/engine/lane.ts'
import { movePayment } from '#payments/move-payment.ts'
import { lockPayment, updatePaymentLane } from '#payments/payments.store.ts'
import type { Tx } from '#platform/database/database.ts'
import { findOpenFrom, listExecutedUnseen } from './hold-lane.store.ts'

type HoldContext = Pick<Context, 'db' | 'clock' | 'ids'>
type Hold = { organizationId: string; token: FencingToken; chainNonce: number }
type HeldUntil = Hold & { finalizedNumber: number }

/** False when the fencing token is stale. */
export async function holdLane(
  ctx: Omit<HoldContext, 'db'>,
  tx: Tx,
  { organizationId, token, chainNonce }: Hold,
): Promise<boolean> {
  const lane = await lockLane(tx, { organizationId, token })
  if (!lane) return false
  const { laneId } = token
  updateHold(tx, { organizationId, laneId, isHeld: true, nextNonce: lane.nextNonce })
  const data = { address: lane.address, nextNonce: lane.nextNonce, chainNonce }
  await record(ctx, tx, { organizationId, laneId, action: 'executor.held', data })
  return true
}

export async function releaseHold(
  ctx: HoldContext,
  { organizationId, token, chainNonce, finalizedNumber }: HeldUntil,
): Promise<WriteOutcome | 'kept'> {
  const { laneId } = token
  return ctx.db.transaction({ organizationId }, async (tx) => {
    const lane = await lockLane(tx, { organizationId, token })
    if (!lane) return 'stale'
    const position = await findPosition(tx)
    if ((position?.number ?? 0) < finalizedNumber) return 'kept'
    await adoptUnseen(ctx, tx, { organizationId, laneId })
    // Attempts below the chain's nonce are settled by the next passes.
    if ((await findOpenFrom(tx, { organizationId, laneId, nonce: chainNonce })) > 0) return 'kept'
    const nextNonce = Math.max(lane.nextNonce, chainNonce)
    updateHold(tx, { organizationId, laneId, isHeld: false, nextNonce })
    const data = { address: lane.address, nextNonce }
    await record(ctx, tx, { organizationId, laneId, action: 'executor.released', data })
    return 'done'
  })
}

/** For delegated executors, which have no nonces to compare. False when the token is stale. */
export async function adoptExecuted(
  ctx: HoldContext,
  tx: Tx,
  { organizationId, token }: Pick<Hold, 'organizationId' | 'token'>,
): Promise<boolean> {
  if (!(await lockLane(tx, { organizationId, token }))) return false
  await adoptUnseen(ctx, tx, { organizationId, laneId: token.laneId })
  return true
}

/**
 * Hands payments that a vault has paid, and that the engine is not tracking, to the lane: its next
 * passes find the proof and confirm them. The caller has locked the lane. Returns their number.
 */
export async function adoptUnseen(
  ctx: Pick<Context, 'clock' | 'ids'>,
  tx: Tx,
  lane: { organizationId: string; laneId: string },
): Promise<number> {
  const { organizationId, laneId } = lane
  const unseen = await listExecutedUnseen(tx, lane)
  for (const { paymentId, expenseId } of unseen) {
    await lockExpense(tx, { organizationId, expenseId })
    const payment = await lockPayment(tx, { organizationId, paymentId })
    if (!payment) continue
    const isUnsent = payment.state === 'queued' || payment.state === 'reserved'
    updatePaymentLane(tx, { organizationId, paymentId, laneId })
    await movePayment(ctx, tx, {
      payment,
      event: isUnsent ? 'block' : 'reconcile',
      actor: SYSTEM,
      ...(isUnsent && { code: 'payment_already_executed' }),
    })
  }
  return unseen.length
}

const record = (
  ctx: Omit<HoldContext, 'db'>,
  tx: Tx,
  {
    organizationId,
    laneId,
    action,
    data,
  }: {
    organizationId: string
    laneId: string
    action: Extract<AuditAction, 'executor.held' | 'executor.released'>
    data: Record<string, unknown>
  },
): Promise<void> =>
  recordChange(ctx, tx, {
    organizationId,
    actor: SYSTEM,
    action,
    aggregateType: 'executor',
    aggregateId: laneId,
    data,
    live: integrationChange({
      targetState: action === 'executor.held' ? 'held' : 'active',
      severity: action === 'executor.held' ? 'action_required' : 'healthy',
      code: action.replace('.', '_'),
    }),
  })
