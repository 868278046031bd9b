/**
 * Decides the next step of a delegated payment, from the provider's last report and the agreed view
 * of the nodes. Pure.
 *
 * A report proves nothing. The vault's log decides first, whoever sent the transaction. A report
 * ends a payment only if the vault has not paid at a final block later than the report. This is the
 * finality rule for delegated payments (docs/PAYMENTS.md), and this file alone applies it.
 */
import type { PaymentState } from '#payments/payment.machine.ts'
import type { DelegatedAttempt, ReportedStatus } from './attempt.ts'
import {
  isHighEnough,
  isLongAgo,
  judgeSuccess,
  type SeenPayment,
  type Situation,
  type Verdict,
  WAIT,
} from './judgement.ts'
import type { AttemptReport } from './lane.ts'

type Meaning = {
  /** Event for the payment, if its state allows it. */
  event: AttemptReport['event']
  /** The provider will do nothing more: the verdict once the finality rule holds. */
  end?: Extract<Verdict, { do: 'fail' | 'deny' }>
}

const meanings: Record<ReportedStatus, Meaning> = {
  accepted: { event: null },
  sent: { event: 'accept' },
  stuck: { event: 'lose' },
  mined: { event: 'accept' },
  denied: { event: 'lose', end: { do: 'deny', code: 'provider_denied' } },
  refused: { event: 'lose', end: { do: 'deny', code: 'provider_refused' } },
  failed: { event: 'lose', end: { do: 'fail', code: 'provider_failed' } },
  cancelled: { event: 'lose', end: { do: 'fail', code: 'provider_cancelled' } },
}

/** The provider will do nothing more and need not be polled again. */
export const isOver = (status: ReportedStatus | null): boolean =>
  status !== null && meanings[status].end !== undefined

/** From this status on, the chain decides. */
export const isDone = (status: ReportedStatus | null): boolean =>
  status === 'mined' || isOver(status)

/** Null when the status does not change the payment's state. */
export function eventOf(state: PaymentState, status: ReportedStatus): AttemptReport['event'] {
  const { event } = meanings[status]
  if (event === 'lose') return state === 'submitting' || state === 'broadcast' ? event : null
  return state === 'submitting' || (state === 'reconciling' && status === 'sent') ? event : null
}

type Observed = Pick<Situation, 'payment' | 'view' | 'finalizedFloor'>

/** Everything the provider did before its report is final: the vault has paid, or it has not. */
const isReportFinal = (
  { reportedBlock }: DelegatedAttempt,
  { view }: Pick<Observed, 'view'>,
): boolean =>
  view.outcome === 'seen' && reportedBlock !== null && reportedBlock <= view.finalizedNumber

export const isDelegatedEvidenceDue = (observed: Observed, attempt: DelegatedAttempt): boolean =>
  isHighEnough(observed) &&
  (isReportFinal(attempt, observed) || ['reconciling', 'blocked'].includes(observed.payment.state))

export function judgeDelegated(situation: Situation, attempt: DelegatedAttempt): Verdict {
  const { payment } = situation
  const verdict = judge(situation, attempt)
  if (payment.state === 'blocked')
    return isResolved(situation, verdict) ? { do: 'reconcile' } : WAIT
  // The state machine allows no outcome from `submitting` except through `reconciling`.
  return verdict.do === 'confirm' && payment.state === 'submitting' ? { do: 'lose' } : verdict
}

/** A blocked payment is still observed, and resumes when its outcome is decided. */
function isResolved({ payment, view }: Situation, verdict: Verdict): boolean {
  if (['confirm', 'fail', 'deny'].includes(verdict.do)) return true
  const isAgreed = view.outcome === 'seen' && verdict.do !== 'block'
  return payment.blockCode === 'nodes_disagree' && isAgreed
}

function judge(situation: Situation, attempt: DelegatedAttempt): Verdict {
  const { payment, view, evidence } = situation
  if (view.outcome === 'disagree' || evidence?.outcome === 'disagree') {
    return { do: 'block', code: 'nodes_disagree' }
  }
  if (evidence?.outcome !== 'seen') return judgeUnseen(situation, attempt)
  return (
    judgeSuccess(payment, evidence) ??
    judgeUnpaid(situation, attempt, evidence) ??
    judgeUnseen(situation, attempt)
  )
}

/** At a final block the vault has not paid. Undefined while the provider may still send. */
function judgeUnpaid(
  situation: Situation,
  attempt: DelegatedAttempt,
  { receipts }: SeenPayment,
): Verdict | undefined {
  const { isGivenUp } = situation.payment
  const { status, transactionHash } = attempt
  const isMined = receipts.some((receipt) => receipt.transactionHash === transactionHash)
  const isReported = isReportFinal(attempt, situation)
  if (isReported && status !== null) {
    const { end } = meanings[status]
    // The finality rule: the provider has ended the attempt, the vault has not paid at a final
    // block after the report, and any transaction that was sent is mined for good. Its status does
    // not matter: a bundle can succeed although our call in it reverted.
    if (end && (isMined || transactionHash === null)) return end
    // A provider that cannot be polled may have a newer status; the request is repeated first.
    const isCurrent = situation.provider?.poll !== undefined
    if (status === 'mined' && isMined && isCurrent && !isGivenUp) {
      return { do: 'block', code: 'execution_unexplained' }
    }
  }
  // A person's decision replaces missing proof, except while the provider still works on it.
  if (isGivenUp && (isReported || status === null))
    return { do: 'fail', code: 'execution_not_found' }
  return isLongAgo(situation) ? { do: 'block', code: 'execution_not_found' } : undefined
}

/** The chain shows nothing yet: the only step left is to ask the provider. */
function judgeUnseen(situation: Situation, attempt: DelegatedAttempt): Verdict {
  if (isSilent(situation, attempt)) return { do: 'lose' }
  if (!isRepeatDue(situation, attempt)) return WAIT
  // The rows have changed: a request built from them would not be the approved call.
  return attempt.isSameCall ? { do: 'repeat', attempt } : { do: 'block', code: 'evidence_mismatch' }
}

/** The provider has reported nothing for `loseAfterMs`. */
function isSilent({ payment, nowMs, settings }: Situation, attempt: DelegatedAttempt): boolean {
  const sinceMs = Math.max(attempt.reportedAtMs ?? attempt.writtenAtMs, payment.stateSinceMs)
  const isAsked = !isDone(attempt.status) && payment.state !== 'reconciling'
  return isAsked && nowMs - sinceMs >= settings.loseAfterMs
}

/** The provider has not answered, or only a repeated request shows its status. */
function isRepeatDue(situation: Situation, attempt: DelegatedAttempt): boolean {
  const { provider, nowMs } = situation
  const { status, providerReference, sentAtMs, writtenAtMs } = attempt
  if (!provider || isOver(status)) return false
  if (status === 'mined' && !isReportFinal(attempt, situation)) return false
  if (providerReference !== null && provider.poll) return false
  return nowMs - (sentAtMs ?? writtenAtMs) >= provider.repeatAfterMs
}
