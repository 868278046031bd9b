/** Back to the queue for a while, as it stands in the books. */
import { SYSTEM } from '#journal/actor.ts'
import { recordChange } from '#journal/journal.ts'
import { postponePayment } from './lane.store.ts'
import type { LaneStore, Written } from './lane.ts'
import { type Books, type Locked, move, write } from './lane-write.ts'

type Postponement = Omit<Parameters<LaneStore['postpone']>[0], 'reason'> & {
  reason: Parameters<LaneStore['postpone']>[0]['reason'] | 'cannot_be_written'
}

export const postpone = (books: Books, { reason, ...input }: Postponement): Promise<Written> =>
  write(books, input, async (locked) => {
    const { organizationId } = books
    await postponePayment(locked.tx, { organizationId, paymentId: input.payment.id })
    const isNews = locked.payment.postponedTimes === 0
    if (reason === 'gas_missing' && isNews) await tellGasIsMissing(books, locked)
    return move(books, locked, 'postpone')
  })

/** Said once a payment, not at every look; the owner alone can mend it. */
const tellGasIsMissing = ({ ctx, organizationId }: Books, { tx, lane }: Locked): Promise<void> =>
  recordChange(ctx, tx, {
    organizationId,
    actor: SYSTEM,
    action: 'executor.gas_low',
    aggregateType: 'executor',
    aggregateId: lane.id,
    data: { address: lane.address },
    live: {
      kind: 'integration.changed',
      aggregateType: 'integration',
      targetState: 'active',
      severity: 'action_required',
      code: 'executor_gas_low',
    },
  })
