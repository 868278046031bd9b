import type { Machine } from '#platform/machine.ts'

const moves = {
  provisioning: { succeed: 'active', fail: 'failed' },
  active: { disable: 'disabled' },
  failed: {},
  disabled: {},
} as const

export type WalletState = keyof typeof moves
export type WalletEvent = 'succeed' | 'fail' | 'disable'
export const walletMachine: Machine<WalletState, WalletEvent> = { name: 'wallet', moves }
