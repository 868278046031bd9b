import type { Machine } from '#platform/machine.ts'

const moves = {
  requested: { broadcast: 'broadcast', deny: 'denied', fail: 'failed' },
  broadcast: { confirm: 'confirmed', fail: 'failed' },
  confirmed: {},
  denied: {},
  failed: {},
} as const

export type ActionState = keyof typeof moves
export type ActionEvent = 'broadcast' | 'confirm' | 'deny' | 'fail'
export const fundingActionMachine: Machine<ActionState, ActionEvent> = {
  name: 'funding action',
  moves,
}
