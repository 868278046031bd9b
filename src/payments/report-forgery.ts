/** An incident: a payment's rows were written by somebody other than the service. */
import type { Context } from '#context.ts'
import type { BlockCode } from '#platform/block-codes.ts'
import { FORGERY_CODES } from './payment.ts'
import type { PaymentRow } from './payments.store.ts'

/** The blocked payment is a task of its organization's owners; this line is for the operators. */
export function reportForgery(
  { log }: Pick<Context, 'log'>,
  { payment, code }: { payment: Pick<PaymentRow, 'id' | 'organizationId'>; code: BlockCode },
): void {
  if (!FORGERY_CODES.includes(code)) return
  const { organizationId, id: paymentId } = payment
  log.error({ organizationId, paymentId, code }, 'a forged payment was blocked')
}
