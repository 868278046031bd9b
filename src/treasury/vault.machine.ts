import type { Machine } from '#platform/machine.ts'

const moves = {
  pending: { verify: 'verified', disable: 'disabled' },
  verified: {},
  disabled: {},
} as const

export type VaultState = keyof typeof moves
export const vaultMachine: Machine<VaultState, 'verify' | 'disable'> = { name: 'vault', moves }
