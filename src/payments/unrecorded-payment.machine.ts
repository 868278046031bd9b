import type { Machine } from '#platform/machine.ts'

const moves = {
  open: { acknowledge: 'acknowledged', record: 'recorded', withdraw: 'withdrawn' },
  acknowledged: { record: 'recorded', withdraw: 'withdrawn' },
  recorded: { find: 'open', withdraw: 'withdrawn' },
  withdrawn: { find: 'open' },
} as const

export type UnrecordedState = keyof typeof moves
export type UnrecordedEvent = 'find' | 'acknowledge' | 'record' | 'withdraw'
export const unrecordedPaymentMachine: Machine<UnrecordedState, UnrecordedEvent> = {
  name: 'unrecorded payment',
  moves,
}
