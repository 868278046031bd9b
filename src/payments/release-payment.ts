/** Moves a payment from `reserved` to `queued`. Only workers do this, after verifying it. */
import { secondsToTimestamp, timestampToSeconds } from '@countersign/proof/values.ts'
import type { Context } from '#context.ts'
import { type Binding, findNamedBinding } from '#executor/executor.store.ts'
import type { Actor } from '#journal/actor.ts'
import type { Tx } from '#platform/database/database.ts'
import { AppError } from '#platform/errors.ts'
import { enqueue, type JobPayloads } from '#platform/jobs/jobs.ts'
import { findPolicy } from '#treasury/policies.store.ts'
import { findVault } from '#treasury/vaults.store.ts'
import { movePayment } from './move-payment.ts'
import { type PaymentRow, updatePaymentLane } from './payments.store.ts'

type ReleaseContext = Pick<Context, 'clock' | 'ids'>

/** The caller has reviewed the payment in this transaction. */
export async function releasePayment(
  ctx: ReleaseContext,
  tx: Tx,
  { payment, actor }: { payment: PaymentRow; actor: Actor },
): Promise<PaymentRow> {
  const { organizationId, id: paymentId } = payment
  const executor = await findPayingExecutor(tx, payment)
  if (!executor) throw new AppError('executor_not_ready')
  if (!(await movePayment(ctx, tx, { payment, event: 'release', actor }))) {
    throw new AppError('state_conflict')
  }
  const laneId = executor.id
  updatePaymentLane(tx, { organizationId, paymentId, laneId })
  wakeLane(tx, { organizationId, laneId })
  return { ...payment, state: 'queued', laneId, updatedAt: ctx.clock.now().toISOString() }
}

/** The executor that the policy in force of the payment's vault names. */
export async function findPayingExecutor(
  tx: Tx,
  { organizationId, vaultId }: Pick<PaymentRow, 'organizationId' | 'vaultId'>,
): Promise<Binding | undefined> {
  const vault = await findVault(tx, { organizationId, vaultId })
  const version = vault?.policyVersion ?? 0
  const policy = await findPolicy(tx, { organizationId, vaultId, version })
  return findNamedBinding(tx, { organizationId, policy })
}

/** Commits with the reservation: a worker checks the signature and queues the payment. */
export const enqueueRelease = (
  tx: Tx,
  payment: JobPayloads['release_payment'],
  delaySeconds?: number,
): void =>
  enqueue(tx, 'release_payment', payment, {
    key: `release_payment:${payment.paymentId}`,
    ...(delaySeconds !== undefined && { delaySeconds }),
  })

/** Schedules a pass at once, or no later than after the delay. */
export const wakeLane = (
  tx: Tx,
  lane: { organizationId: string; laneId: string },
  delaySeconds?: number,
): void =>
  enqueue(tx, 'work_lane', lane, {
    key: `work_lane:${lane.laneId}`,
    queue: `lane:${lane.laneId}`,
    ...(delaySeconds !== undefined && { delaySeconds, unlessDue: true }),
  })

/** For automatic payments; an approved payment ends with its approval. */
export const enqueueDeadline = (
  tx: Tx,
  payment: JobPayloads['expire_payment'],
  deadline: string,
): void =>
  enqueue(tx, 'expire_payment', payment, {
    key: `expire_payment:${payment.paymentId}`,
    runAt: secondsToTimestamp(timestampToSeconds(deadline) + 2),
  })
