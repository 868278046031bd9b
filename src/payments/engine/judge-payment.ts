/**
 * What is to be done about a payment that was signed: pure, from its attempts and from what the
 * nodes say together. Rule N stands here and nowhere else.
 *
 * Two moments matter. While its nonce is unused there is only one thing that can go wrong, nobody
 * mines it, and only one cure: the same bytes or the same nonce again. Once its nonce is used in a
 * final block nothing of ours can be mined any more, and the chain knows the one outcome.
 */
import type { Fees } from '#ports/payment-node.ts'
import type { SignedAttempt } from './attempt.ts'
import { isEntrustedEvidenceDue, judgeEntrusted } from './judge-delegated.ts'
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

type Asked = Pick<Situation, 'payment' | 'view' | 'finalizedFloor'>

const signedOf = ({ attempts }: LanePayment): SignedAttempt[] =>
  attempts.filter((attempt) => attempt.kind === 'signed')

const isUsed = (attempt: SignedAttempt, nextNonce: number): boolean => attempt.nonce < nextNonce

/**
 * Final: the place of every attempt is taken for ever, so that none can be mined any more. One
 * without any attempt is final too: only the vault's log can speak for it.
 */
const isFinal = ({ payment, view, finalizedFloor }: Asked): boolean =>
  view.outcome === 'seen' &&
  isHighEnough({ view, finalizedFloor }) &&
  signedOf(payment).every((attempt) => isUsed(attempt, view.finalizedNonce))

/** Whether the nodes are to be asked what they know of it: before, they could decide nothing. */
export function isEvidenceDue(asked: Asked): boolean {
  const last = asked.payment.attempts.at(-1)
  return last?.kind === 'entrusted' ? isEntrustedEvidenceDue(asked, last) : isFinal(asked)
}

export function judgePayment(situation: Situation): Verdict {
  const { payment } = situation
  const last = payment.attempts.at(-1)
  if (last?.kind === 'entrusted') return judgeEntrusted(situation, last)
  return payment.state === 'blocked' ? judgeBlocked(situation) : judgeInFlight(situation)
}

/** For a person, but still watched: it moves on by itself when the trouble is seen to be over. */
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
  // The table knows no way from submitting to an outcome but through reconciling.
  if (payment.state === 'submitting') return { do: 'lose' }
  if (evidence === undefined || evidence.outcome === 'unavailable') return WAIT
  if (evidence.outcome === 'disagree') return { do: 'block', code: 'nodes_disagree' }
  const verdict = judgeFinal(payment, evidence, isSearchedLong(situation))
  // An attempt that we do not know of may still pay.
  return verdict.do === 'fail' && isChainAhead ? WAIT : verdict
}

/** Every attempt's nonce is used in a final block: the evidence decides, one way or the other. */
function judgeFinal(payment: LanePayment, evidence: SeenPayment, isSearchedLong: boolean): Verdict {
  const attempts = signedOf(payment)
  const { receipts } = evidence
  const bySuccess = judgeSuccess(payment, evidence)
  if (bySuccess) return bySuccess
  const hasSucceeded = receipts.some(({ status }) => status === 'success')
  if (hasSucceeded) return { do: 'block', code: 'execution_unexplained' }
  // Nothing was signed for it here, and after a good while the chain knows nothing of it either.
  if (attempts.length === 0) {
    return isSearchedLong ? { do: 'block', code: 'execution_not_found' } : WAIT
  }
  // Rule N: the place of every attempt was taken by a transaction of ours, and all of them
  // reverted. A place that something else took is for a person: the key was used elsewhere, and
  // though nothing of ours can pay any more, somebody must know of it before it is called failed.
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

/** Its last nonce is unused, or used in a block that may still be reorganised away. */
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
  // As long as not enough nodes have seen it mined they may need to hear of it again.
  const isMissed = !isUsed(last, view.headNonce.common)
  const isSilent = last.sentAtMs === null || nowMs - last.sentAtMs >= settings.resendAfterMs
  return isMissed && isSilent ? { do: 'resend', attempt: last } : WAIT
}

/** Rule 4: same nonce, same call, higher fee. Those behind wait for the first, not for a fee. */
function dueReplacement(
  { payment, nowMs, settings }: Situation,
  view: SeenLane,
  last: SignedAttempt,
): Fees | null {
  const isFirstInLine = last.nonce === view.headNonce.highest
  const patienceMs = settings.replaceAfterMs * 2 ** last.feeRank
  if (view.market.outcome !== 'known' || !isFirstInLine) return null
  if (nowMs - last.writtenAtMs < patienceMs) return null
  const first = signedOf(payment).find(({ nonce }) => nonce === last.nonce) ?? last
  const { fees: market, ceiling } = view.market
  return replacementFees({ first, last, market, ceiling })
}

const isSearchedLong = (situation: Situation): boolean =>
  situation.payment.state === 'reconciling' && isLongAgo(situation)

const isOverdue = ({ payment, nowMs, settings }: Situation): boolean =>
  payment.state !== 'reconciling' && nowMs - payment.stateSinceMs >= settings.loseAfterMs
