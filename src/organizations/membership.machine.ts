import type { Machine } from '#platform/machine.ts'

/** A membership and a wallet role are given once and taken away once; a return is a new one. */
const moves = {
  active: { revoke: 'revoked' },
  revoked: {},
} as const

export type MembershipState = keyof typeof moves
export const membershipMachine: Machine<MembershipState, 'revoke'> = { name: 'membership', moves }
export const walletRoleMachine: Machine<MembershipState, 'revoke'> = { name: 'wallet role', moves }
