import type { Machine } from '#platform/machine.ts'

/**
 * The transaction that puts a policy into force that has waited. It moves through the lane like a
 * payment, but nothing is at stake: the vault activates a proposal once, whoever asks.
 */
const moves = {
  queued: { postpone: 'queued', writeAhead: 'submitting', cancel: 'cancelled' },
  submitting: { accept: 'broadcast', lose: 'reconciling', fail: 'failed', block: 'blocked' },
  broadcast: { confirm: 'confirmed', lose: 'reconciling', fail: 'failed', block: 'blocked' },
  reconciling: { confirm: 'confirmed', accept: 'broadcast', fail: 'failed', block: 'blocked' },
  // Only with an attempt that may still be mined.
  blocked: { reconcile: 'reconciling' },
  // `queue`: the proposal still waits, or waits again after a reorganisation.
  failed: { queue: 'queued' },
  confirmed: { queue: 'queued' },
  cancelled: { queue: 'queued' },
} as const

export type ActivationState = keyof typeof moves
export type ActivationEvent =
  | 'queue'
  | 'postpone'
  | 'writeAhead'
  | 'accept'
  | 'lose'
  | 'confirm'
  | 'fail'
  | 'block'
  | 'reconcile'
  | 'cancel'
export const activationMachine: Machine<ActivationState, ActivationEvent> = {
  name: 'policy activation',
  moves,
}
