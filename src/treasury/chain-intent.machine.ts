import type { Machine } from '#platform/machine.ts'

/** One table for vault deployments and policies: what became of a transaction we prepared. */
const moves = {
  prepared: { submit: 'submitted' },
  submitted: {
    confirm: 'confirmed',
    lose: 'reconciling',
    reject: 'rejected',
    fail: 'failed',
  },
  confirmed: {},
  reconciling: {
    confirm: 'confirmed',
    reject: 'rejected',
    fail: 'failed',
  },
  rejected: {},
  // Replaced or dropped by the wallet: another hash may be tried. See `resubmittable`.
  failed: { submit: 'submitted' },
} as const

export type IntentState = keyof typeof moves
export type IntentEvent = 'submit' | 'confirm' | 'lose' | 'reject' | 'fail'
export const intentMachine: Machine<IntentState, IntentEvent> = { name: 'chain intent', moves }

/** A failed intent begins again only if its transaction was never found. */
export const isResubmittable = (intent: { state: IntentState; failureCode: string | null }) =>
  intent.state === 'prepared' ||
  (intent.state === 'failed' && intent.failureCode === 'transaction_not_found')
