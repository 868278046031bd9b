import type { Machine } from '#platform/machine.ts'

const moves = {
  prepared: { claim: 'claimed' },
  claimed: { confirm: 'confirmed', fail: 'failed' },
  confirmed: {},
  failed: {},
} as const

export type ProofState = keyof typeof moves
export type ProofEvent = 'claim' | 'confirm' | 'fail'
export const proofMachine: Machine<ProofState, ProofEvent> = { name: 'ledger proof', moves }
