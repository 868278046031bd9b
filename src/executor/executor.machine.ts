import type { Machine } from '#platform/machine.ts'

const moves = {
  requested: { start: 'provisioning' },
  provisioning: { succeed: 'active', fail: 'failed', start: 'provisioning' },
  active: {},
  failed: { retry: 'requested' },
} as const

export type ProvisioningState = keyof typeof moves
export type ProvisioningEvent = 'start' | 'succeed' | 'fail' | 'retry'
export const provisioningMachine: Machine<ProvisioningState, ProvisioningEvent> = {
  name: 'executor provisioning',
  moves,
}
