import type { Machine } from '#platform/machine.ts'

const moves = {
  prepared: {
    sign: 'signed',
    expire: 'expired',
    supersede: 'superseded',
    invalidate: 'invalidated',
  },
  signed: {
    consume: 'consumed',
    expire: 'expired',
    supersede: 'superseded',
    invalidate: 'invalidated',
  },
  consumed: {},
  expired: {},
  superseded: {},
  invalidated: {},
} as const

export type ApprovalState = keyof typeof moves
export type ApprovalEvent = { [S in ApprovalState]: keyof (typeof moves)[S] }[ApprovalState]

export const approvalMachine: Machine<ApprovalState, ApprovalEvent> = { name: 'approval', moves }
