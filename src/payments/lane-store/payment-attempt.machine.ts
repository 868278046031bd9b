import type { Machine } from '#platform/machine.ts'

/** Until an attempt is mined or cleared, its transaction can be mined at any time. */
const moves = {
  written: { send: 'sent', mine: 'mined', clear: 'cleared' },
  sent: { mine: 'mined', clear: 'cleared' },
  mined: {},
  cleared: {},
} as const

export type AttemptState = keyof typeof moves
export type AttemptEvent = { [S in AttemptState]: keyof (typeof moves)[S] }[AttemptState]

export const paymentAttemptMachine: Machine<AttemptState, AttemptEvent> = {
  name: 'payment attempt',
  moves,
}
