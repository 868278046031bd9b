/** The only writer of the states of attempts. Part of a payment's move, which the journal tells. */
import type { Tx } from '#platform/database/database.ts'
import { updateAttemptStates } from './attempts.store.ts'
import {
  type AttemptEvent,
  type AttemptState,
  paymentAttemptMachine,
} from './payment-attempt.machine.ts'

const { moves } = paymentAttemptMachine
const results = { send: 'sent', mine: 'mined', clear: 'cleared' } as const

/** Those of the payments' that can make the move, or of these the ones that are named. */
export const moveAttempts = (
  tx: Tx,
  {
    event,
    ...which
  }: {
    organizationId: string
    paymentIds: readonly string[]
    event: AttemptEvent
    transactionHashes?: readonly string[]
    errorCode?: string
  },
): void => {
  const from = (Object.keys(moves) as AttemptState[]).filter((state) =>
    Object.hasOwn(moves[state], event),
  )
  updateAttemptStates(tx, { ...which, from, to: results[event] })
}
