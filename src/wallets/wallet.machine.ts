import type { Machine } from '#platform/machine.ts'

const moves = {
  provisioning: { succeed: 'active', fail: 'failed' },
  // Only server wallets are disabled, and only the others unlinked.
  active: { disable: 'disabled', unlink: 'unlinked' },
  failed: {},
  disabled: {},
  unlinked: {},
} as const

export type WalletState = keyof typeof moves
export type WalletEvent = 'succeed' | 'fail' | 'disable' | 'unlink'
export const walletMachine: Machine<WalletState, WalletEvent> = { name: 'wallet', moves }
