import type { Machine } from '#platform/machine.ts'

/** A membership is given once and taken away once; a return is a new one. */
const membershipMoves = {
  // Under `owner_confirms`: invited by a manager, no access before an owner confirms.
  pending: { confirm: 'active', revoke: 'revoked' },
  active: { revoke: 'revoked' },
  revoked: {},
} as const

/** The same for a wallet role. */
const walletRoleMoves = {
  active: { revoke: 'revoked' },
  revoked: {},
} as const

export type MembershipState = keyof typeof membershipMoves
export type MembershipEvent = 'confirm' | 'revoke'
export const membershipMachine: Machine<MembershipState, MembershipEvent> = {
  name: 'membership',
  moves: membershipMoves,
}

export type WalletRoleState = keyof typeof walletRoleMoves
export const walletRoleMachine: Machine<WalletRoleState, 'revoke'> = {
  name: 'wallet role',
  moves: walletRoleMoves,
}
