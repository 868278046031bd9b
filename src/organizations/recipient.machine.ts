import type { Machine } from '#platform/machine.ts'

/** A recipient's address never changes: a new address is a new recipient. */
const moves = {
  active: { deactivate: 'deactivated' },
  deactivated: {},
} as const

export type RecipientState = keyof typeof moves
export const recipientMachine: Machine<RecipientState, 'deactivate'> = { name: 'recipient', moves }
