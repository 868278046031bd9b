import type { Machine } from '#platform/machine.ts'

/**
 * States of a policy that waits before it takes effect. The vault's logs move it, and time if
 * nobody activates it. `reopen` is a reorganisation that removed the block of its end.
 */
const moves = {
  waiting: {
    activate: 'activated',
    veto: 'vetoed',
    supersede: 'superseded',
    expire: 'expired',
  },
  activated: { reopen: 'waiting' },
  vetoed: { reopen: 'waiting' },
  superseded: { reopen: 'waiting' },
  expired: { reopen: 'waiting' },
} as const

export type ProposalState = keyof typeof moves
export type ProposalEvent = 'activate' | 'veto' | 'supersede' | 'expire' | 'reopen'
export const proposalMachine: Machine<ProposalState, ProposalEvent> = {
  name: 'vault proposal',
  moves,
}
