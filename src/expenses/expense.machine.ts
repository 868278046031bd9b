import type { Machine } from '#platform/machine.ts'

/** Events of the payment engine. */
const payment = {
  payment_submitting: 'executing',
  payment_lost: 'reconciling',
  payment_confirmed: 'paid',
  payment_blocked: 'blocked',
  approval_ended: 'awaiting_approval',
} as const

/** Its payment is in the queue again, under the authorization that it has. */
const release = {
  release_approved: 'approved_ready_for_payment',
  release_automatic: 'automatic_ready_for_payment',
} as const

const moves = {
  draft: { submit: 'analysis_queued', revise: 'draft', cancel: 'cancelled' },
  analysis_queued: { start_analysis: 'analyzing' },
  analyzing: {
    flag: 'needs_review',
    clear: 'automatic_ready_for_payment',
    fail_analysis: 'blocked',
  },
  needs_review: {
    request_revision: 'revision_requested',
    reject: 'rejected',
    advance: 'awaiting_approval',
    revise: 'draft',
    cancel: 'cancelled',
  },
  revision_requested: { revise: 'draft', cancel: 'cancelled' },
  awaiting_approval: {
    request_revision: 'revision_requested',
    reject: 'rejected',
    revise: 'draft',
    cancel: 'cancelled',
    approve: 'approved_ready_for_payment',
    // A restored backup has lost that it was approved; the chain has paid this revision.
    payment_lost: payment.payment_lost,
    payment_confirmed: payment.payment_confirmed,
  },
  approved_ready_for_payment: {
    payment_submitting: payment.payment_submitting,
    payment_blocked: payment.payment_blocked,
    approval_ended: payment.approval_ended,
  },
  automatic_ready_for_payment: {
    payment_submitting: payment.payment_submitting,
    payment_blocked: payment.payment_blocked,
  },
  executing: {
    payment_lost: payment.payment_lost,
    payment_confirmed: payment.payment_confirmed,
    payment_blocked: payment.payment_blocked,
    ...release,
  },
  reconciling: {
    payment_confirmed: payment.payment_confirmed,
    payment_blocked: payment.payment_blocked,
    ...release,
  },
  paid: {},
  rejected: {},
  cancelled: {},
  blocked: {
    submit: 'analysis_queued',
    request_revision: 'revision_requested',
    reject: 'rejected',
    advance: 'awaiting_approval',
    revise: 'draft',
    cancel: 'cancelled',
    approval_ended: payment.approval_ended,
    payment_lost: payment.payment_lost,
    payment_confirmed: payment.payment_confirmed,
    ...release,
  },
} as const

export type ExpenseState = keyof typeof moves
export type ExpenseEvent = {
  [S in ExpenseState]: keyof (typeof moves)[S]
}[ExpenseState]

export const expenseMachine: Machine<ExpenseState, ExpenseEvent> = { name: 'expense', moves }
