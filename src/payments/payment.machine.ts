import type { Machine } from '#platform/machine.ts'

/** A payment begins as `reserved`, once for its expense, and keeps its id and its attempts. */
const moves = {
  reserved: {
    release: 'queued',
    block: 'blocked',
    // Automatic ones take a new policy version under which they still fit.
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
  },
  reconciling: {
    confirm: 'confirmed',
    accept: 'broadcast',
    fail: 'failed',
    block: 'blocked',
  },
  confirmed: {},
  // Live (an attempt could still pay): only `reconcile`. Not live: only `reserve` and `release`.
  blocked: { reconcile: 'reconciling', reserve: 'reserved', release: 'queued' },
  // `reconcile` here: an old backup says failed, and the vault's log says paid.
  failed: { reserve: 'reserved', release: 'queued', reconcile: 'reconciling' },
} as const

export type PaymentState = keyof typeof moves
export type PaymentEvent =
  | 'reserve'
  | 'release'
  | 'renew'
  | 'postpone'
  | 'writeAhead'
  | 'accept'
  | 'lose'
  | 'confirm'
  | 'fail'
  | 'block'
  | 'reconcile'
export const paymentMachine: Machine<PaymentState, PaymentEvent> = { name: 'payment', moves }

/** Sent, as far as anybody knows, and not settled: what the engine looks after. */
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
