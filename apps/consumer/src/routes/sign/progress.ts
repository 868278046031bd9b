/** A payment's state as the steps that a person waits for. */
import type { PaymentState } from '@countersign/app-kit/words/states.ts'

const STEPS = ['signed', 'set_aside', 'others', 'sent', 'on_chain'] as const
export type StepId = (typeof STEPS)[number]
type When = 'past' | 'now' | 'next' | 'failed'

/** The step that everybody waits for. Null: all are done. */
const AWAITED: Record<PaymentState, StepId | null> = {
  reserved: 'sent',
  queued: 'sent',
  submitting: 'sent',
  broadcast: 'on_chain',
  reconciling: 'on_chain',
  confirmed: null,
  blocked: 'sent',
  failed: 'sent',
}

type Progress = { state: PaymentState; requiredApprovals: number; signedApprovals: number }

/** The step of the other signatures is there only where several must sign. */
export function progressOf({
  state,
  requiredApprovals,
  signedApprovals,
}: Progress): { id: StepId; when: When }[] {
  const isMissing = signedApprovals < requiredApprovals
  const awaited = isMissing && AWAITED[state] === 'sent' ? 'others' : AWAITED[state]
  const isStuck = state === 'blocked' || state === 'failed'
  const steps = STEPS.filter((id) => id !== 'others' || requiredApprovals > 1)
  const index = awaited === null ? steps.length : steps.indexOf(awaited)
  return steps.map((id, at) => {
    if (at < index) return { id, when: 'past' }
    if (at > index) return { id, when: 'next' }
    return { id, when: isStuck ? 'failed' : 'now' }
  })
}
