/** Returns a payment to the queue whose transaction reverted because its period had no room. */
import { secondsToTimestamp, timestampToSeconds } from '@countersign/proof/values.ts'
import { raiseFloor } from '#executor/lane.ts'
import type { LaneStore, WriteOutcome } from '#payments/engine/lane.ts'
import { type LaneStoreDeps, move, write } from './fenced-write.ts'
import { reopenPayment } from './lane.store.ts'
import { endUnpaid, moveAttempts } from './record-outcomes.ts'
import { reviewAll } from './review-authority.ts'

const CODE = 'period_cap_exceeded'

/**
 * The finality rule holds for every attempt, so the next one may have another nonce. An approval
 * that ended while the payment was in flight has not blocked it: the review finds that.
 */
export const requeue = (
  deps: LaneStoreDeps,
  { endsAtSeconds, finalizedNumber, ...input }: Parameters<LaneStore['requeue']>[0],
): Promise<WriteOutcome> =>
  write(deps, input, async (locked) => {
    const { tx, lane, payment: row } = locked
    const { organizationId, id: paymentId, vaultId, signatures } = row
    // A deadline is inclusive; a period's end is the first moment of the next.
    if (endsAtSeconds > timestampToSeconds(row.deadline)) {
      return endUnpaid(deps, locked, { event: 'block', code: CODE, finalizedNumber })
    }
    const items = [{ payment: input.payment, row }]
    const { admitted } = await reviewAll(deps, { tx, lane, items })
    if (admitted.length === 0) {
      const code = 'transaction_reverted'
      return endUnpaid(deps, locked, { event: 'fail', code, finalizedNumber })
    }
    const endsAt = secondsToTimestamp(endsAtSeconds)
    moveAttempts(tx, { organizationId, paymentIds: [paymentId], event: 'clear', errorCode: CODE })
    reopenPayment(tx, { organizationId, paymentId, endsAt })
    raiseFloor(tx, { organizationId, laneId: lane.id, blockNumber: finalizedNumber })
    const approvalIds = signatures.map(({ approvalId }) => approvalId)
    await deps.ctx.reactions.paymentRequeued(tx, { organizationId, vaultId, approvalIds })
    const data = { code: CODE, until: endsAt }
    return move(deps, { ...locked, payment: { ...row, hasOpenAttempt: false } }, 'requeue', {
      data,
    })
  })
