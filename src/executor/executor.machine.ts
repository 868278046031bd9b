import type { Machine } from '#platform/machine.ts'

const moves = {
  requested: { start: 'provisioning' },
  provisioning: { succeed: 'active', fail: 'failed', start: 'provisioning' },
  active: {},
  failed: { retry: 'requested' },
} as const

/** What a policy in force says of a binding: `rotation.ts` decides. */
const bindingMoves = {
  next: { activate: 'active', replace: 'draining' },
  active: { replace: 'draining', withdraw: 'next' },
  draining: { activate: 'active', withdraw: 'next', retire: 'disabled' },
  disabled: {},
} as const

export type BindingState = keyof typeof bindingMoves
export type BindingEvent = 'activate' | 'replace' | 'withdraw' | 'retire'
export const bindingMachine: Machine<BindingState, BindingEvent> = {
  name: 'executor binding',
  moves: bindingMoves,
}

export type ProvisioningState = keyof typeof moves
export type ProvisioningEvent = 'start' | 'succeed' | 'fail' | 'retry'
export const provisioningMachine: Machine<ProvisioningState, ProvisioningEvent> = {
  name: 'executor provisioning',
  moves,
}
