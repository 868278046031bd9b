import type { Machine } from '#platform/machine.ts'

/** Each expense has one payment. It starts as `reserved` and keeps its id and attempts. */
const moves = {
  reserved: {
    // Another approver's signature; the last one makes it ready for release.
    sign: 'reserved',
    release: 'queued',
    block: 'blocked',
    // An automatic payment moves to a new policy version that still allows it.
    renew: 'reserved',
  },
  queued: {
    writeAhead: 'submitting',
    postpone: 'queued',
    block: 'blocked',
    renew: 'queued',
  },
  submitting: {
    accept: 'broadcast',
    lose: 'reconciling',
    fail: 'failed',
    block: 'blocked',
  },
  broadcast: {
    confirm: 'confirmed',
    lose: 'reconciling',
    fail: 'failed',
    block: 'blocked',
    // It reverted because its period had no room: it waits for the next one.
    requeue: 'queued',
  },
  reconciling: {
    confirm: 'confirmed',
    accept: 'broadcast',
    fail: 'failed',
    block: 'blocked',
    requeue: 'queued',
  },
  confirmed: {},
  // Live (an attempt could still pay): only `reconcile`. Not live: only `reserve` and `release`.
  blocked: { reconcile: 'reconciling', reserve: 'reserved', release: 'queued' },
  // `reconcile` from `failed`: a restored backup says failed, the vault's log says paid.
  failed: { reserve: 'reserved', release: 'queued', reconcile: 'reconciling' },
} as const

export type PaymentState = keyof typeof moves
export type PaymentEvent =
  | 'reserve'
  | 'sign'
  | 'release'
  | 'renew'
  | 'postpone'
  | 'writeAhead'
  | 'accept'
  | 'lose'
  | 'confirm'
  | 'fail'
  | 'block'
  | 'requeue'
  | 'reconcile'
export const paymentMachine: Machine<PaymentState, PaymentEvent> = { name: 'payment', moves }

/** An attempt may have been sent and the outcome is open: the engine tracks it. */
export const isInFlight = (state: PaymentState): boolean =>
  state === 'submitting' || state === 'broadcast' || state === 'reconciling'

/**
 * Only live payments hold money; the view `live_payments` states the same rule in SQL. An attempt
 * is cleared when the finality rule has proven that it cannot pay any more.
 */
export const isLive = (payment: { state: PaymentState; hasUnclearedAttempt: boolean }): boolean =>
  payment.state === 'reserved' ||
  payment.state === 'queued' ||
  isInFlight(payment.state) ||
  (payment.state === 'blocked' && payment.hasUnclearedAttempt)
