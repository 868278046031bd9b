import type { Machine } from '#platform/machine.ts'

/** `required`: the outcome has been unknown for too long, and a person should check it. */
const moves = {
  pending: { doubt: 'required', confirm: 'confirmed', deny: 'denied', fail: 'failed' },
  required: { confirm: 'confirmed', deny: 'denied', fail: 'failed' },
  confirmed: {},
  denied: {},
  failed: {},
} as const

export type ReconciliationState = keyof typeof moves
export type ReconciliationEvent = 'doubt' | 'confirm' | 'deny' | 'fail'
export const fundingReconciliationMachine: Machine<ReconciliationState, ReconciliationEvent> = {
  name: 'funding action reconciliation',
  moves,
}
