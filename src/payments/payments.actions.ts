/** Audit actions of payments, by event of the state machine. */
import type { PaymentEvent } from './payment.machine.ts'
import type { UnrecordedEvent } from './unrecorded-payment.machine.ts'

export const paymentActions = {
  reserve: 'payment.reserved',
  sign: 'payment.signed',
  release: 'payment.released',
  renew: 'payment.renewed',
  postpone: 'payment.postponed',
  writeAhead: 'payment.submitted',
  accept: 'payment.accepted',
  lose: 'payment.lost',
  reconcile: 'payment.reconciliation_started',
  confirm: 'payment.confirmed',
  fail: 'payment.failed',
  block: 'payment.blocked',
  requeue: 'payment.requeued',
  outOfStep: 'payment.out_of_step',
} as const satisfies Record<PaymentEvent | 'outOfStep', string>

export const unrecordedPaymentActions = {
  find: 'unrecorded_payment.found',
  acknowledge: 'unrecorded_payment.acknowledged',
  record: 'unrecorded_payment.recorded',
  withdraw: 'unrecorded_payment.withdrawn',
} as const satisfies Record<UnrecordedEvent, string>

declare module '#journal/journal.ts' {
  interface AuditRecords {
    payments: {
      action: (typeof paymentActions)[keyof typeof paymentActions]
      aggregate: 'payment'
    }
    unrecordedPayments: {
      action: (typeof unrecordedPaymentActions)[keyof typeof unrecordedPaymentActions]
      aggregate: 'unrecorded_payment'
    }
  }
}
