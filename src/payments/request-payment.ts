/**
 * Members' payment requests. An API process checks what it can, records the request with a
 * job and waits briefly for a worker; only workers may queue or reconcile a payment.
 */
import type { Member } from '#access/permissions.ts'
import type { Context } from '#context.ts'
import { scopeOf } from '#organizations/actor.ts'
import type { Tx } from '#platform/database/database.ts'
import { AppError, errorCodes } from '#platform/errors.ts'
import { enqueue } from '#platform/jobs/jobs.ts'
import { type PaymentRecord, toPaymentRecord } from './payment.ts'
import {
  findRequestOutcome,
  insertPaymentRequest,
  type RequestStep,
} from './payment-requests.store.ts'
import { findPayment, type PaymentRow } from './payments.store.ts'

export const DONE = 'done'

type RequestContext = Pick<Context, 'db' | 'ids' | 'config' | 'outcomes'>

/** Returns the id to wait for; commits with the caller's checks. */
export async function requestOfPayment(
  { ids }: Pick<Context, 'ids'>,
  tx: Tx,
  {
    actor,
    payment,
    step,
    expectedVersion,
  }: {
    actor: Member
    payment: Pick<PaymentRow, 'id' | 'epoch'>
    step: RequestStep
    expectedVersion: number
  },
): Promise<string> {
  const { organizationId, accountId, requestId } = actor
  const id = ids.next()
  const { id: paymentId, epoch: paymentEpoch } = payment
  const kind = step === 'reconcile' ? ('reconcile' as const) : ('release' as const)
  const by = { organizationId, accountId, requestId }
  const asked = { paymentId, paymentEpoch, kind, step, expectedVersion }
  insertPaymentRequest(tx, { id, ...by, ...asked })
  enqueue(tx, 'run_payment_request', { organizationId, paymentRequestId: id })
  return id
}

/** The payment after a worker has carried out the request, or at the deadline. */
export async function afterRequest(
  ctx: RequestContext,
  {
    actor,
    paymentRequestId,
    paymentId,
  }: { actor: Member; paymentRequestId: string; paymentId: string },
): Promise<PaymentRecord> {
  const { organizationId } = actor
  const read = () =>
    ctx.db.read(scopeOf(actor), (reader) =>
      findRequestOutcome(reader, { organizationId, paymentRequestId }),
    )
  const withinMs = ctx.config.workerWaitMs
  const ended = await ctx.outcomes.waitFor(paymentRequestId, read, { withinMs })
  if (ended && ended.outcome !== DONE) {
    const code = errorCodes.find((one) => one === ended.outcome) ?? 'state_conflict'
    throw new AppError(code, ended.message === null ? {} : { message: ended.message })
  }
  return readRecord(ctx, { actor, paymentId })
}

/** Once a signature has reserved a payment: until a worker has queued or blocked it. */
export async function afterRelease(
  ctx: RequestContext,
  { actor, payment }: { actor: Member; payment: PaymentRow },
): Promise<PaymentRecord> {
  const { organizationId, id: paymentId, epoch } = payment
  const read = async () => {
    const now = await ctx.db.read(scopeOf(actor), (reader) =>
      findPayment(reader, { organizationId, paymentId, onlyOf: null }),
    )
    return now?.state === 'reserved' && now.epoch === epoch ? undefined : now
  }
  const withinMs = ctx.config.workerWaitMs
  const released = await ctx.outcomes.waitFor(paymentId, read, { withinMs })
  return toPaymentRecord(released ?? payment)
}

async function readRecord(
  ctx: Pick<Context, 'db'>,
  { actor, paymentId }: { actor: Member; paymentId: string },
): Promise<PaymentRecord> {
  const { organizationId } = actor
  const payment = await ctx.db.read(scopeOf(actor), (reader) =>
    findPayment(reader, { organizationId, paymentId, onlyOf: null }),
  )
  if (!payment) throw new AppError('not_found')
  return toPaymentRecord(payment)
}
