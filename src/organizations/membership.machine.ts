import type { Machine } from '#platform/machine.ts'

/** A membership is granted and revoked once; a member who returns gets a new membership. */
const membershipMoves = {
  // Under `owner_confirms`, a member whom a manager invited has no access before an owner confirms.
  pending: { confirm: 'active', revoke: 'revoked' },
  active: { revoke: 'revoked' },
  revoked: {},
} as const

/** A wallet role, likewise, is never reactivated. */
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
