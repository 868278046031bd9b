import type { Machine } from '#platform/machine.ts'

const accountMoves = {
  active: { disable: 'disabled' },
  disabled: { enable: 'active' },
} as const

export type AccountState = keyof typeof accountMoves
export const accountMachine: Machine<AccountState, 'disable' | 'enable'> = {
  name: 'account',
  moves: accountMoves,
}

const operatorMoves = {
  active: { revoke: 'revoked' },
  revoked: { grant: 'active' },
} as const

export type OperatorState = keyof typeof operatorMoves
export const operatorMachine: Machine<OperatorState, 'grant' | 'revoke'> = {
  name: 'operator',
  moves: operatorMoves,
}
