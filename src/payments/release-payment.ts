/** Reserved becomes queued, and the lane of the executor is told. */
import type { Context } from '#context.ts'
import { findActiveBinding } from '#executor/executor.store.ts'
import type { Actor } from '#journal/actor.ts'
import type { Tx } from '#platform/database.ts'
import { AppError } from '#platform/errors.ts'
import { enqueue } from '#platform/jobs.ts'
import { movePayment } from './move-payment.ts'
import { type PaymentRow, updatePaymentLane } from './payments.store.ts'

type ReleaseContext = Pick<Context, 'clock' | 'ids'>

export async function releasePayment(
  ctx: ReleaseContext,
  tx: Tx,
  { payment, actor }: { payment: PaymentRow; actor: Actor },
): Promise<PaymentRow> {
  const { organizationId, id: paymentId } = payment
  const executor = await findActiveBinding(tx, organizationId)
  if (!executor) throw new AppError('executor_not_ready')
  if (!(await movePayment(ctx, tx, { payment, event: 'release', actor }))) {
    throw new AppError('state_conflict')
  }
  const laneId = executor.id
  await updatePaymentLane(tx, { organizationId, paymentId, laneId })
  await wakeLane(tx, { organizationId, laneId })
  return { ...payment, state: 'queued', laneId, updatedAt: ctx.clock.now().toISOString() }
}

/** The next pass comes at once, or no later than after the delay. */
export const wakeLane = (
  tx: Tx,
  lane: { organizationId: string; laneId: string },
  delaySeconds?: number,
): Promise<void> =>
  enqueue(tx, 'work_lane', lane, {
    key: `work_lane:${lane.laneId}`,
    queue: `lane:${lane.laneId}`,
    ...(delaySeconds !== undefined && { delaySeconds, unlessDue: true }),
  })
