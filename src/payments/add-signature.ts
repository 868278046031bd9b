/** Counts another approver's signature in a reservation that lacks some. */
import type { Context } from '#context.ts'
import type { Actor } from '#journal/actor.ts'
import type { Tx } from '#platform/database/database.ts'
import { AppError } from '#platform/errors.ts'
import { movePayment } from './move-payment.ts'
import { insertSignatures, type PaymentRow, type PaymentSignature } from './payments.store.ts'
import { lockReserved } from './reserve-payment.ts'

export async function addSignature(
  ctx: Pick<Context, 'clock' | 'ids'>,
  tx: Tx,
  { payment, signature, actor }: { payment: PaymentRow; signature: PaymentSignature; actor: Actor },
): Promise<PaymentRow> {
  insertSignatures(tx, { payment, signatures: [signature] })
  const { approvalId, digest: approvalDigest } = signature
  const data = { approvalId, approvalDigest }
  if (!(await movePayment(ctx, tx, { payment, event: 'sign', actor, data }))) {
    throw new AppError('state_conflict')
  }
  return lockReserved(tx, payment)
}
