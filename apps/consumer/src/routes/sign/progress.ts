/** A payment's state as the steps that a person waits for. */
import type { PaymentState } from '@countersign/app-kit/words/states.ts'

const STEPS = ['signed', 'set_aside', 'sent', 'on_chain'] as const
type StepId = (typeof STEPS)[number]
type When = 'past' | 'now' | 'next' | 'failed'

/** How many steps are done, and whether the next one is stuck. */
const DONE: Record<PaymentState, { done: number; isStuck?: boolean }> = {
  reserved: { done: 2 },
  queued: { done: 2 },
  submitting: { done: 2 },
  broadcast: { done: 3 },
  reconciling: { done: 3 },
  confirmed: { done: 4 },
  blocked: { done: 2, isStuck: true },
  failed: { done: 2, isStuck: true },
}

export function progressOf(state: PaymentState): { id: StepId; when: When }[] {
  const { done, isStuck = false } = DONE[state]
  return STEPS.map((id, index) => {
    if (index < done) return { id, when: 'past' }
    if (index > done) return { id, when: 'next' }
    return { id, when: isStuck ? 'failed' : 'now' }
  })
}
