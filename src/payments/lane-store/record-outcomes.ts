/** What became of payments that were signed, as it stands in the books. */
import { toStoredExecution } from '@countersign/proof/execution.ts'
import { raiseFloor } from '#executor/lane.ts'
import { SYSTEM } from '#journal/actor.ts'
import type { LaneStore, WriteOutcome } from '#payments/engine/lane.ts'
import { movePayments } from '#payments/move-payment.ts'
import type { BlockCode } from '#platform/block-codes.ts'
import { insertReceipts, markSent } from './attempts.store.ts'
import { nameMined } from './delegated-attempts.store.ts'
import { type LaneStoreDeps, type Locked, move, writeAll } from './fenced-write.ts'
import { closePayments, listApplied } from './lane.store.ts'
import { moveAttempts } from './move-attempts.ts'

export async function recordSends(
  deps: LaneStoreDeps,
  { token, sends }: Parameters<LaneStore['recordSends']>[0],
): Promise<WriteOutcome> {
  const { ctx, organizationId } = deps
  const written = await writeAll(deps, { token, items: sends }, async ({ tx, items }) => {
    const attempts = items.map(({ attempt }) => attempt)
    markSent(tx, { organizationId, attemptIds: attempts.map(({ id }) => id) })
    moveAttempts(tx, {
      organizationId,
      event: 'send',
      paymentIds: items.map(({ row }) => row.id),
      transactionHashes: attempts.map(({ transactionHash }) => transactionHash),
    })
    const moves = items.flatMap(({ row, attempt: { transactionHash }, event }) =>
      event === null ? [] : [{ payment: row, event, actor: SYSTEM, data: { transactionHash } }],
    )
    return movePayments(ctx, tx, moves)
  })
  return written === 'stale' ? 'stale' : 'done'
}

/**
 * Rule N holds for every attempt: nothing that was signed or entrusted can pay any more. Blocked
 * instead of failed where a person must have looked before it is tried again.
 */
export async function endUnpaid(
  deps: LaneStoreDeps,
  { tx, lane, payment }: Locked,
  {
    event,
    code,
    finalizedNumber,
  }: {
    event: 'fail' | 'block'
    code: BlockCode
    finalizedNumber: number
  },
): Promise<WriteOutcome> {
  const { organizationId, id: paymentId, approvalId } = payment
  const paymentIds = [paymentId]
  moveAttempts(tx, { organizationId, paymentIds, event: 'clear', errorCode: code })
  closePayments(tx, { organizationId, payments: [{ paymentId, minedHash: null }] })
  raiseFloor(tx, { organizationId, laneId: lane.id, blockNumber: finalizedNumber })
  await deps.ctx.reactions.paymentFailed(tx, { organizationId, approvalId })
  const closed = { tx, lane, payment: { ...payment, hasOpenAttempt: false } }
  return move(deps, closed, event, { code })
}

/** Once the follower has counted it: so it is either promised or spent, and never both. */
export async function confirm(
  deps: LaneStoreDeps,
  { token, confirmations, finalizedNumber }: Parameters<LaneStore['confirm']>[0],
): Promise<WriteOutcome> {
  const { ctx, organizationId } = deps
  // A payment is proven by its log alone.
  const logged = confirmations.flatMap((one) => ('log' in one ? [one] : []))
  const written = await writeAll(deps, { token, items: logged }, async (batch) => {
    const { tx, lane } = batch
    const asked = batch.items.map(({ row }) => row.id)
    const applied = await listApplied(tx, { organizationId, paymentIds: asked })
    const items = batch.items.filter(({ row }) => applied.includes(row.id))
    if (items.length === 0) return []
    const at = ctx.clock.now()
    const receipts = items.map(({ row, log }) => {
      const { transactionHash, blockNumber, blockHash, logIndex, gasUsed, effectiveGasPrice } = log
      const seen = { transactionHash, blockNumber, blockHash, logIndex }
      const execution = toStoredExecution(log)
      return { paymentId: row.id, ...seen, gasUsed, effectiveGasPrice, execution, at }
    })
    insertReceipts(tx, { organizationId, receipts })
    const mined = items.map(({ row, log }) => {
      return { paymentId: row.id, minedHash: log.transactionHash }
    })
    const paymentIds = mined.map(({ paymentId }) => paymentId)
    const transactionHashes = mined.map(({ minedHash }) => minedHash)
    if (lane.providerType !== 'local') await nameMined(tx, { organizationId, mined })
    moveAttempts(tx, { organizationId, paymentIds, event: 'mine', transactionHashes })
    moveAttempts(tx, { organizationId, paymentIds, event: 'clear' })
    closePayments(tx, { organizationId, payments: mined })
    raiseFloor(tx, { organizationId, laneId: lane.id, blockNumber: finalizedNumber })
    const approvalIds = items.flatMap(({ row: { approvalId } }) => approvalId ?? [])
    await ctx.reactions.paymentsConfirmed(tx, { organizationId, approvalIds })
    const moves = items.map(({ row, log }) => {
      const { transactionHash, blockNumber, blockHash, logIndex } = log
      const data = { transactionHash, blockNumber, blockHash, logIndex }
      return { payment: row, event: 'confirm' as const, actor: SYSTEM, data }
    })
    return movePayments(ctx, tx, moves)
  })
  return written === 'stale' ? 'stale' : 'done'
}
