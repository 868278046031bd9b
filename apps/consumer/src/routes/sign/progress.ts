/** A payment's state as the steps that a person waits for. */
import type { PaymentState } from '@countersign/app-kit/words/states.ts'
import type { DataOf } from '@countersign/client/operation-types.ts'

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

type ReleaseMode = DataOf<'getClientConfig'>['features']['paymentRelease']

/** What people have to do before the payment is sent. */
export function awaitedOf(
  { state, requiredApprovals, signedApprovals }: Progress,
  release: ReleaseMode,
): 'signatures' | 'signatures_and_release' | 'release' | 'nothing' {
  const isManual = release === 'manual'
  if (signedApprovals < requiredApprovals) {
    return isManual ? 'signatures_and_release' : 'signatures'
  }
  return isManual && state === 'reserved' ? 'release' : 'nothing'
}
