/**
 * Decides the next step of a payment that the service signed, from its attempts and the agreed view
 * of the nodes. Pure. This file alone applies the finality rule (docs/PAYMENTS.md) to them.
 *
 * While the nonce is unused, the transaction may only be delayed: the engine sends the same bytes
 * or a replacement at the same nonce. Once the nonce is used in a final block, no attempt can be
 * mined any more, and the chain has the outcome.
 */
import type { Fees } from '#ports/payment-node.ts'
import type { SignedAttempt } from './attempt.ts'
import { isDelegatedEvidenceDue, judgeDelegated } from './judge-delegated.ts'
import {
  isHighEnough,
  isLongAgo,
  judgeSuccess,
  type SeenLane,
  type SeenPayment,
  type Situation,
  type Verdict,
  WAIT,
} from './judgement.ts'
import type { LanePayment } from './lane.ts'
import { replacementFees } from './replacement-fees.ts'

type Observed = Pick<Situation, 'payment' | 'view' | 'finalizedFloor'>

const signedOf = ({ attempts }: LanePayment): SignedAttempt[] =>
  attempts.filter((attempt) => attempt.kind === 'signed')

const isUsed = (attempt: SignedAttempt, nextNonce: number): boolean => attempt.nonce < nextNonce

/**
 * The nonces of all attempts are used in final blocks, so none can be mined any more. A payment
 * without attempts is final, too: only the vault's log can prove its outcome.
 */
const isFinal = ({ payment, view, finalizedFloor }: Observed): boolean =>
  view.outcome === 'seen' &&
  isHighEnough({ view, finalizedFloor }) &&
  signedOf(payment).every((attempt) => isUsed(attempt, view.finalizedNonce))

/** Whether to read the evidence from the nodes. Earlier it could decide nothing. */
export function isEvidenceDue(observed: Observed): boolean {
  const last = observed.payment.attempts.at(-1)
  return last?.kind === 'entrusted' ? isDelegatedEvidenceDue(observed, last) : isFinal(observed)
}

export function judgePayment(situation: Situation): Verdict {
  const { payment } = situation
  const last = payment.attempts.at(-1)
  if (last?.kind === 'entrusted') return judgeDelegated(situation, last)
  return payment.state === 'blocked' ? judgeBlocked(situation) : judgeInFlight(situation)
}

/** A blocked payment is still observed, and resumes when its outcome is decided. */
function judgeBlocked(situation: Situation): Verdict {
  if (!isHighEnough(situation)) return WAIT
  if (!isFinal(situation)) return { do: 'reconcile' }
  const verdict = judgeInFlight(situation)
  return verdict.do === 'confirm' || verdict.do === 'fail' ? { do: 'reconcile' } : WAIT
}

function judgeInFlight(situation: Situation): Verdict {
  const { payment, view, evidence, isChainAhead } = situation
  if (view.outcome === 'disagree') return { do: 'block', code: 'nodes_disagree' }
  if (view.outcome === 'unavailable') return isOverdue(situation) ? { do: 'lose' } : WAIT
  if (!isFinal(situation)) return judgeUnsettled(situation, view)
  // The state machine allows no outcome from `submitting` except through `reconciling`.
  if (payment.state === 'submitting') return { do: 'lose' }
  if (evidence === undefined || evidence.outcome === 'unavailable') return WAIT
  if (evidence.outcome === 'disagree') return { do: 'block', code: 'nodes_disagree' }
  const verdict = judgeFinal(payment, evidence, isSearchedLong(situation))
  // An attempt that the database does not have may still pay.
  return verdict.do === 'fail' && isChainAhead ? WAIT : verdict
}

/** Every attempt's nonce is used in a final block, so the evidence decides the outcome. */
function judgeFinal(payment: LanePayment, evidence: SeenPayment, isSearchedLong: boolean): Verdict {
  const attempts = signedOf(payment)
  const { receipts } = evidence
  const bySuccess = judgeSuccess(payment, evidence)
  if (bySuccess) return bySuccess
  const hasSucceeded = receipts.some(({ status }) => status === 'success')
  if (hasSucceeded) return { do: 'block', code: 'execution_unexplained' }
  // Without attempts, a missing log is reported only after a long search.
  if (attempts.length === 0) {
    return isSearchedLong ? { do: 'block', code: 'execution_not_found' } : WAIT
  }
  // The finality rule: every nonce was used by one of our attempts, and all of them reverted. If
  // another transaction used a nonce, the key was used elsewhere. Our attempts cannot pay any
  // more, but a person must see that before the payment is called failed.
  const isOurs = (nonce: number) =>
    attempts.some(
      (attempt) =>
        attempt.nonce === nonce &&
        receipts.some(({ transactionHash }) => transactionHash === attempt.transactionHash),
    )
  if (attempts.every(({ nonce }) => isOurs(nonce))) {
    return { do: 'fail', code: 'transaction_reverted' }
  }
  const code = 'nonce_used_elsewhere'
  return payment.isGivenUp ? { do: 'fail', code } : { do: 'block', code }
}

/** The last nonce is unused, or used in a block that a reorganisation can still remove. */
function judgeUnsettled(situation: Situation, view: SeenLane): Verdict {
  const { payment, nowMs, settings } = situation
  const last = signedOf(payment).at(-1)
  if (last === undefined) return WAIT
  const isMined = isUsed(last, view.headNonce.highest)
  if (isMined && payment.state === 'submitting') return { do: 'lose' }
  if (!isMined && isOverdue(situation)) return { do: 'lose' }
  if (!isMined) {
    const fees = dueReplacement(situation, view, last)
    if (fees) return { do: 'replace', replaced: last, fees }
  }
  // Until a quorum has seen it mined, some nodes may not have the transaction.
  const isMissed = !isUsed(last, view.headNonce.common)
  const isSilent = last.sentAtMs === null || nowMs - last.sentAtMs >= settings.resendAfterMs
  return isMissed && isSilent ? { do: 'resend', attempt: last } : WAIT
}

/** Rule 4: same nonce, same call, higher fee. Only the lowest unused nonce is replaced. */
function dueReplacement(
  { payment, nowMs, settings }: Situation,
  view: SeenLane,
  last: SignedAttempt,
): Fees | null {
  const isFirstInLine = last.nonce === view.headNonce.highest
  const delayMs = settings.replaceAfterMs * 2 ** last.feeRank
  if (view.market.outcome !== 'known' || !isFirstInLine) return null
  if (nowMs - last.writtenAtMs < delayMs) return null
  const first = signedOf(payment).find(({ nonce }) => nonce === last.nonce) ?? last
  const { fees: market, ceiling } = view.market
  return replacementFees({ first, last, market, ceiling })
}

const isSearchedLong = (situation: Situation): boolean =>
  situation.payment.state === 'reconciling' && isLongAgo(situation)

const isOverdue = ({ payment, nowMs, settings }: Situation): boolean =>
  payment.state !== 'reconciling' && nowMs - payment.stateSinceMs >= settings.loseAfterMs
