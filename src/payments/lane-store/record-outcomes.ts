/** Stores what became of sent payments: sends, failures and confirmations. */
import { toStoredExecution } from '@countersign/proof/execution.ts'
import { raiseFloor } from '#executor/lane.ts'
import { SYSTEM } from '#journal/actor.ts'
import type { LaneStore, WriteOutcome } from '#payments/engine/lane.ts'
import { movePayments } from '#payments/move-payment.ts'
import type { BlockCode } from '#platform/block-codes.ts'
import type { Tx } from '#platform/database/database.ts'
import { insertReceipts, markSent, updateAttemptStates } from './attempts.store.ts'
import { nameMined } from './delegated-attempts.store.ts'
import { type LaneStoreDeps, type Locked, move, writeAll } from './fenced-write.ts'
import { closePayments, listApplied } from './lane.store.ts'
import {
  type AttemptEvent,
  type AttemptState,
  paymentAttemptMachine,
} from './payment-attempt.machine.ts'

const { moves } = paymentAttemptMachine
const results = { send: 'sent', mine: 'mined', clear: 'cleared' } as const

/**
 * The only writer of attempt states. Moves all attempts of the payments that allow the event, or
 * only those with the given hashes. The audit event is the payment's.
 */
export const moveAttempts = (
  tx: Tx,
  {
    event,
    ...which
  }: {
    organizationId: string
    paymentIds: readonly string[]
    event: AttemptEvent
    transactionHashes?: readonly string[]
    errorCode?: string
  },
): void => {
  const from = (Object.keys(moves) as AttemptState[]).filter((state) =>
    Object.hasOwn(moves[state], event),
  )
  updateAttemptStates(tx, { ...which, from, to: results[event] })
}

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
 * Ends a payment without success. The finality rule holds for every attempt, so none can pay any
 * more. The event is `block` where a person must decide before a retry.
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
  const { organizationId, id: paymentId, signatures } = payment
  const paymentIds = [paymentId]
  moveAttempts(tx, { organizationId, paymentIds, event: 'clear', errorCode: code })
  closePayments(tx, { organizationId, payments: [{ paymentId, minedHash: null }] })
  raiseFloor(tx, { organizationId, laneId: lane.id, blockNumber: finalizedNumber })
  const approvalIds = signatures.map(({ approvalId }) => approvalId)
  await deps.ctx.reactions.paymentFailed(tx, { organizationId, approvalIds })
  const closed = { tx, lane, payment: { ...payment, hasOpenAttempt: false } }
  return move(deps, closed, event, { code })
}

/** Waits until the follower has applied the log, so an amount is reserved or spent, never both. */
export async function confirm(
  deps: LaneStoreDeps,
  { token, confirmations, finalizedNumber }: Parameters<LaneStore['confirm']>[0],
): Promise<WriteOutcome> {
  const { ctx, organizationId } = deps
  // Only a log proves a payment.
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
    if (lane.providerType !== 'local') nameMined(tx, { organizationId, mined })
    moveAttempts(tx, { organizationId, paymentIds, event: 'mine', transactionHashes })
    moveAttempts(tx, { organizationId, paymentIds, event: 'clear' })
    closePayments(tx, { organizationId, payments: mined })
    raiseFloor(tx, { organizationId, laneId: lane.id, blockNumber: finalizedNumber })
    const approvalIds = items.flatMap(({ row }) =>
      row.signatures.map(({ approvalId }) => approvalId),
    )
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
