/** Puts a payment back into the queue, to be retried later. */
import { secondsToTimestamp, timestampToSeconds } from '@countersign/proof/values.ts'
import { SYSTEM } from '#journal/actor.ts'
import { integrationChange, recordChange } from '#journal/journal.ts'
import type { LaneStore, WriteOutcome } from '#payments/engine/lane.ts'
import { type LaneStoreDeps, type Locked, move, write } from './fenced-write.ts'
import { postponePayment, postponeToNextPeriod } from './lane.store.ts'

type Postponement = Omit<Parameters<LaneStore['postpone']>[0], 'reason'> & {
  reason: Parameters<LaneStore['postpone']>[0]['reason'] | 'cannot_be_written'
}

export const postpone = (
  deps: LaneStoreDeps,
  { reason, ...input }: Postponement,
): Promise<WriteOutcome> =>
  write(deps, input, async (locked) => {
    const { organizationId } = deps
    postponePayment(locked.tx, { organizationId, paymentId: input.payment.id })
    const isFirst = locked.payment.postponedTimes === 0
    if (reason === 'gas_missing' && isFirst) await recordTrouble(deps, locked, GAS_MISSING)
    if (reason === 'fees_above_ceiling' && isFirst) await recordTrouble(deps, locked, FEES_HIGH)
    return move(deps, locked, 'postpone')
  })

/**
 * The vault accepts the payment in the next period at the earliest. Until then it stays in the
 * queue without holding its lane.
 */
export const awaitPeriod = (
  deps: LaneStoreDeps,
  { endsAtSeconds, ...input }: Parameters<LaneStore['awaitPeriod']>[0],
): Promise<WriteOutcome> =>
  write(deps, input, async (locked) => {
    const { organizationId } = deps
    const { id: paymentId, deadline } = locked.payment
    // A deadline is inclusive; a period's end is the first moment of the next.
    if (endsAtSeconds > timestampToSeconds(deadline)) {
      return move(deps, locked, 'block', { code: 'period_cap_exceeded' })
    }
    const endsAt = secondsToTimestamp(endsAtSeconds)
    postponeToNextPeriod(locked.tx, { organizationId, paymentId, endsAt })
    return move(deps, locked, 'postpone', { data: { until: endsAt } })
  })

/** The owner must send gas to the executor. */
const GAS_MISSING = {
  action: 'executor.gas_low',
  severity: 'action_required',
  code: 'executor_gas_low',
} as const

/** Resolves itself when fees fall; operators may raise the ceiling. */
const FEES_HIGH = {
  action: 'executor.fees_high',
  severity: 'degraded',
  code: 'network_fees_too_high',
} as const

/** Recorded once per payment, not in every pass. */
const recordTrouble = (
  { ctx, organizationId }: LaneStoreDeps,
  { tx, lane }: Locked,
  { action, severity, code }: typeof GAS_MISSING | typeof FEES_HIGH,
): Promise<void> =>
  recordChange(ctx, tx, {
    organizationId,
    actor: SYSTEM,
    action,
    aggregateType: 'executor',
    aggregateId: lane.id,
    data: { address: lane.address },
    live: integrationChange({
      targetState: 'active',
      severity,
      code,
    }),
  })
