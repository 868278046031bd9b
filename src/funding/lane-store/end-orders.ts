/** Ends orders: stores the outcome of their transactions and moves their deposits. */
import type { ActionRow } from '#funding/actions.store.ts'
import { enqueueWatch } from '#funding/enqueue-watch.ts'
import { isOpen } from '#funding/funding-action.ts'
import { doubtAction, moveAction } from '#funding/move-action.ts'
import type { LanePayment, LaneStore, WriteOutcome } from '#payments/engine/lane.ts'
import { timestampToMilliseconds } from '#platform/clock.ts'
import type { Tx } from '#platform/database/database.ts'
import { type FundingLane, type LockedOrder, writeOrder } from './fenced-orders.ts'
import { raiseFundingFloor } from './lanes.store.ts'
import { DOUBTED_AFTER_MS } from './orders.ts'
import { updateOutcomes, updateTransactionSent } from './transactions.store.ts'

type Input<Name extends keyof LaneStore> = Parameters<LaneStore[Name]>[0]

/** A deposit waits this long for gas before it fails. Nothing is signed until then. */
const GAS_WAITED_FOR_MS = 10 * 60 * 1000

export async function recordOrderSends(
  lane: FundingLane,
  { token, sends }: Input<'recordSends'>,
): Promise<WriteOutcome> {
  const { organizationId } = lane
  for (const { payment, attempt, event } of sends) {
    const written = await writeOrder(lane, { token, payment }, async (locked) => {
      updateTransactionSent(locked.tx, { organizationId, id: attempt.id })
      if (event === 'accept') await broadcast(lane, locked)
      if (event === 'lose') await recordLost(lane, locked, payment)
    })
    if (written === 'stale') return 'stale'
  }
  return 'done'
}

/** Moves a requested deposit to `broadcast`: the nodes have it. */
async function broadcast({ ctx }: FundingLane, { tx, order: { action } }: LockedOrder) {
  if (action?.state !== 'requested') return action
  return moveAction(ctx, tx, { action, event: 'broadcast' })
}

export const loseOrder = (
  lane: FundingLane,
  { token, payment }: Input<'lose'>,
): Promise<WriteOutcome> =>
  writeOrder(lane, { token, payment }, async (locked): Promise<WriteOutcome> => {
    await recordLost(lane, locked, payment)
    return 'done'
  })

/**
 * The nonce is used, possibly by this transaction, so it counts as sent. After two minutes the
 * outcome is unknown, and a person should check it.
 */
async function recordLost(
  lane: FundingLane,
  locked: LockedOrder,
  payment: LanePayment,
): Promise<void> {
  const { ctx, organizationId } = lane
  const { tx, order } = locked
  const { action } = order
  if (!action) {
    const last = payment.attempts.at(-1)
    if (last) updateTransactionSent(tx, { organizationId, id: last.id })
    return
  }
  if (ageOf(ctx, action) < DOUBTED_AFTER_MS) await broadcast(lane, locked)
  else await doubtAction(ctx, tx, action)
}

const ageOf = ({ clock }: FundingLane['ctx'], { createdAt }: ActionRow): number =>
  clock.now().getTime() - timestampToMilliseconds(createdAt)

/**
 * A revert in the preflight fails a deposit before anything is signed. A nonce that another
 * transaction has used fails it, too: the signed one can no longer be mined. For other codes the
 * outcome is marked as unknown, and the engine continues to observe.
 */
export async function blockOrder(
  lane: FundingLane,
  { token, payment, code }: Input<'block'>,
): Promise<WriteOutcome> {
  const { ctx, organizationId, walletId } = lane
  return writeOrder(lane, { token, payment }, async ({ tx, order }): Promise<WriteOutcome> => {
    const { action } = order
    const isTaken = code === 'nonce_used_elsewhere'
    if (isTaken) updateOutcomes(tx, { organizationId, walletId, outcome: 'lost' })
    if (!action || !isOpen(action)) return 'done'
    const isSigned = payment.attempts.length > 0
    const failureCode = isTaken ? 'nonce_taken' : code
    if (isTaken || !isSigned) await moveAction(ctx, tx, { action, event: 'fail', failureCode })
    else await doubtAction(ctx, tx, action)
    return 'done'
  })
}

/** Requests missing gas, and fails a deposit that has waited too long for it. */
export async function postponeOrder(
  lane: FundingLane,
  { token, payment, reason }: Input<'postpone'>,
): Promise<WriteOutcome> {
  const { ctx, address, provider, order } = lane
  if (reason !== 'gas_missing') return 'done'
  const isWaiting = !order?.action || ageOf(ctx, order.action) <= GAS_WAITED_FOR_MS
  if (isWaiting) {
    await provider?.fundGas({ address })
    return 'done'
  }
  return writeOrder(lane, { token, payment }, async ({ tx, order }): Promise<WriteOutcome> => {
    const { action } = order
    if (action?.state !== 'requested') return 'done'
    await moveAction(ctx, tx, { action, event: 'fail', failureCode: reason })
    return 'done'
  })
}

/** Mined and reverted: the finality rule holds for every attempt. */
export const failOrder = (
  lane: FundingLane,
  { token, payment, code, finalizedNumber }: Input<'fail'>,
): Promise<WriteOutcome> =>
  writeOrder(lane, { token, payment }, async ({ tx, order }): Promise<WriteOutcome> => {
    const { ctx, organizationId, walletId } = lane
    const { action } = order
    updateOutcomes(tx, { organizationId, walletId, outcome: 'reverted' })
    raiseFloor(lane, tx, finalizedNumber)
    if (action && isOpen(action)) {
      await moveAction(ctx, tx, { action, event: 'fail', failureCode: code })
    }
    return 'done'
  })

export async function confirmOrders(
  lane: FundingLane,
  { token, confirmations, finalizedNumber }: Input<'confirm'>,
): Promise<WriteOutcome> {
  const { ctx, organizationId, walletId } = lane
  for (const confirmation of confirmations) {
    if (!('receipt' in confirmation)) continue
    const { payment, receipt } = confirmation
    const { transactionHash, blockNumber } = receipt
    // Read before the transaction, so that no lock is held during a node call.
    const balanceAfter = await readBalance(ctx, payment, blockNumber)
    const written = await writeOrder(lane, { token, payment }, async (locked) => {
      const { tx, order } = locked
      const succeeded = { outcome: 'succeeded', minedHash: transactionHash } as const
      updateOutcomes(tx, { organizationId, walletId, ...succeeded })
      raiseFloor(lane, tx, finalizedNumber)
      const action = await broadcast(lane, locked)
      if (!action || !isOpen(action) || balanceAfter === undefined) return
      await moveAction(ctx, tx, { action, event: 'confirm', transactionHash, balanceAfter })
      const controlId = order.control.id
      enqueueWatch(ctx, tx, { organizationId, controlId }, 0)
    })
    if (written === 'stale') return 'stale'
  }
  return 'done'
}

/** The vault's balance; undefined for a token approval, which calls the token. */
async function readBalance(
  { chain }: FundingLane['ctx'],
  { call: { vaultAddress: address } }: LanePayment,
  blockNumber: number,
): Promise<bigint | undefined> {
  if (address === chain.tokenAddress) return undefined
  return chain.tokenBalance({ address, blockNumber })
}

const raiseFloor = (
  { organizationId, walletId: laneId }: FundingLane,
  tx: Tx,
  blockNumber: number,
): void => raiseFundingFloor(tx, { organizationId, laneId, blockNumber })
