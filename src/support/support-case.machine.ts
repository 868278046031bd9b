import type { Machine } from '#platform/machine.ts'

const moves = {
  open: { investigate: 'investigating', resolve: 'resolved' },
  investigating: { resolve: 'resolved' },
  resolved: { reopen: 'reopened' },
  reopened: { investigate: 'investigating' },
} as const

export type SupportCaseState = keyof typeof moves
export type SupportCaseEvent = 'investigate' | 'resolve' | 'reopen'
export const supportCaseMachine: Machine<SupportCaseState, SupportCaseEvent> = {
  name: 'support case',
  moves,
}
