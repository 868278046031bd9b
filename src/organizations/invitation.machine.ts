import type { Machine } from '#platform/machine.ts'

const moves = {
  open: { accept: 'accepted', revoke: 'revoked', expire: 'expired' },
  accepted: {},
  revoked: {},
  expired: {},
} as const

export type InvitationState = keyof typeof moves
export type InvitationEvent = keyof (typeof moves)['open']
export const invitationMachine: Machine<InvitationState, InvitationEvent> = {
  name: 'invitation',
  moves,
}
