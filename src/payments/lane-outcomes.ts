/** The two ends of a payment that was signed, as they stand in the books. */
import type { ExecutionLog } from '#ports/payment-node.ts'
import { insertReceipt } from './attempts.store.ts'
import { closePayment, findIsApplied, raiseFloor } from './lane.store.ts'
import type { Written } from './lane.ts'
import { toStoredExecution } from './lane-rows.ts'
import { type Books, type Locked, move } from './lane-write.ts'
import { moveAttempts } from './move-attempts.ts'

/** Rule N holds for every attempt: nothing that was signed can pay any more. */
export async function fail(
  books: Books,
  locked: Locked,
  { code, finalizedNumber }: { code: string; finalizedNumber: number },
): Promise<Written> {
  const { tx, lane, payment } = locked
  const key = { organizationId: books.organizationId, paymentId: payment.id }
  await moveAttempts(tx, { ...key, event: 'clear', errorCode: code })
  await closePayment(tx, { ...key, minedHash: null })
  await raiseFloor(tx, { ...key, laneId: lane.id, blockNumber: finalizedNumber })
  const { approvalId } = payment
  await books.ctx.reactions.paymentFailed(tx, { organizationId: key.organizationId, approvalId })
  const closed = { ...locked, payment: { ...payment, hasOpenAttempt: false } }
  return move(books, closed, 'fail', { code })
}

/** Once the follower has counted it: so it is either promised or spent, and never both. */
export async function confirm(
  books: Books,
  locked: Locked,
  { log, finalizedNumber }: { log: ExecutionLog; finalizedNumber: number },
): Promise<Written | 'later'> {
  const { ctx, organizationId } = books
  const { tx, lane, payment } = locked
  const { vaultId, chainPaymentId, approvalId } = payment
  if (!(await findIsApplied(tx, { organizationId, vaultId, chainPaymentId }))) return 'later'
  const { transactionHash, blockNumber, blockHash, logIndex, gasUsed, effectiveGasPrice } = log
  const seen = { transactionHash, blockNumber, blockHash, logIndex }
  const key = { organizationId, paymentId: payment.id }
  await insertReceipt(tx, {
    ...key,
    ...seen,
    gasUsed,
    effectiveGasPrice,
    execution: toStoredExecution(log),
    at: ctx.clock.now(),
  })
  await moveAttempts(tx, { ...key, event: 'mine', transactionHash })
  await moveAttempts(tx, { ...key, event: 'clear' })
  await closePayment(tx, { ...key, minedHash: transactionHash })
  await raiseFloor(tx, { ...key, laneId: lane.id, blockNumber: finalizedNumber })
  await ctx.reactions.paymentConfirmed(tx, { organizationId, approvalId })
  return move(books, locked, 'confirm', { data: seen })
}
