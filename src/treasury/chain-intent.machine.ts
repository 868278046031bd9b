import type { Machine } from '#platform/machine.ts'

/**
 * States of a transaction that the service prepares and the owner's wallet sends: vault deployments
 * and policies.
 */
const moves = {
  prepared: { submit: 'submitted' },
  submitted: {
    // Its policy waits before it takes effect, however long that takes.
    propose: 'submitted',
    confirm: 'confirmed',
    lose: 'reconciling',
    reject: 'rejected',
    fail: 'failed',
  },
  confirmed: {},
  reconciling: {
    propose: 'submitted',
    confirm: 'confirmed',
    reject: 'rejected',
    fail: 'failed',
  },
  rejected: {},
  // The wallet replaced or dropped the transaction: another hash may be submitted. See
  // `isResubmittable`.
  failed: { submit: 'submitted' },
} as const

export type IntentState = keyof typeof moves
export type IntentEvent = 'submit' | 'propose' | 'confirm' | 'lose' | 'reject' | 'fail'
export const intentMachine: Machine<IntentState, IntentEvent> = { name: 'chain intent', moves }

/** A failed intent may be resubmitted only if its transaction was never found. */
export const isResubmittable = (intent: { state: IntentState; failureCode: string | null }) =>
  intent.state === 'prepared' ||
  (intent.state === 'failed' && intent.failureCode === 'transaction_not_found')
