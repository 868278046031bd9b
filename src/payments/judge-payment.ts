/**
 * What is to be done about a payment that was signed: pure, from its attempts and from what the
 * nodes say together. Rule N stands here and nowhere else.
 *
 * Two moments matter. While its nonce is unused there is only one thing that can go wrong, nobody
 * mines it, and only one cure: the same bytes or the same nonce again. Once its nonce is used in a
 * final block nothing of ours can be mined any more, and the chain knows the one outcome.
 */
import type { Execution, ExecutionLog, Fees } from '#ports/payment-node.ts'
import type {
  Attempt,
  BlockCode,
  LanePayment,
  LaneSettings,
  LaneView,
  PaymentView,
} from './lane.ts'
import { replacementFees } from './replacement-fees.ts'

export type Verdict =
  | { do: 'wait' }
  | { do: 'lose' }
  | { do: 'resend'; attempt: Attempt }
  | { do: 'replace'; replaced: Attempt; fees: Fees }
  | { do: 'confirm'; log: ExecutionLog }
  | { do: 'fail'; code: string }
  | { do: 'block'; code: BlockCode }
  | { do: 'reconcile' }

export type Situation = {
  payment: LanePayment
  view: LaneView
  /** Undefined where it was not asked for: it can say nothing before `isFinal`. */
  evidence: PaymentView | undefined
  nowMs: number
  finalizedFloor: number
  /** The chain knows of more attempts than we do: see `compare-nonces.ts`. */
  isChainAhead: boolean
  settings: LaneSettings
}

type SeenLane = Extract<LaneView, { outcome: 'seen' }>
type SeenPayment = Extract<PaymentView, { outcome: 'seen' }>

const WAIT: Verdict = { do: 'wait' }

const isUsed = (attempt: Attempt, nextNonce: number): boolean => attempt.nonce < nextNonce

/**
 * Final: the place of every attempt is taken for ever, so that none can be mined any more. One
 * without any attempt is final too: only the vault's log can speak for it.
 * The finalised height never goes back: nodes below one that we decided at lag, and decide nothing.
 */
export const isFinal = (
  { attempts }: LanePayment,
  { view, finalizedFloor }: Pick<Situation, 'view' | 'finalizedFloor'>,
): boolean =>
  view.outcome === 'seen' &&
  view.finalizedNumber >= finalizedFloor &&
  attempts.every((attempt) => isUsed(attempt, view.finalizedNonce))

export const judgePayment = (situation: Situation): Verdict =>
  situation.payment.state === 'blocked' ? judgeBlocked(situation) : judgeInFlight(situation)

/** For a person, but still watched: it moves on by itself when the trouble is seen to be over. */
function judgeBlocked(situation: Situation): Verdict {
  const { payment, view, finalizedFloor } = situation
  if (view.outcome !== 'seen' || view.finalizedNumber < finalizedFloor) return WAIT
  if (!isFinal(payment, situation)) return { do: 'reconcile' }
  const verdict = judgeInFlight(situation)
  return verdict.do === 'confirm' || verdict.do === 'fail' ? { do: 'reconcile' } : WAIT
}

function judgeInFlight(situation: Situation): Verdict {
  const { payment, view, evidence, isChainAhead } = situation
  if (view.outcome === 'disagree') return { do: 'block', code: 'nodes_disagree' }
  if (view.outcome === 'unavailable') return isOverdue(situation) ? { do: 'lose' } : WAIT
  if (!isFinal(payment, situation)) return judgeUnsettled(situation, view)
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
  const { attempts, expected } = payment
  const { isExecuted, logs, receipts } = evidence
  if (logs.some((log) => !isEqualTo(expected, log))) {
    return { do: 'block', code: 'execution_mismatch' }
  }
  const [log] = logs
  // Rule 9: the vault's log with every field equal, not merely a successful receipt.
  if (log && isExecuted) return { do: 'confirm', log }
  const hasSucceeded = receipts.some(({ status }) => status === 'success')
  if (log || isExecuted || hasSucceeded) return { do: 'block', code: 'execution_unexplained' }
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
  const last = payment.attempts.at(-1)
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
  last: Attempt,
): Fees | null {
  const isFirstInLine = last.nonce === view.headNonce.highest
  const patienceMs = settings.replaceAfterMs * 2 ** last.feeRank
  if (view.fees === null || !isFirstInLine) return null
  if (nowMs - last.writtenAtMs < patienceMs) return null
  const first = payment.attempts.find(({ nonce }) => nonce === last.nonce) ?? last
  return replacementFees({ first, last, market: view.fees })
}

/** Long enough for any chain to have made it final. */
const SEARCH_TIMES = 60

const isSearchedLong = ({ payment, nowMs, settings }: Situation): boolean =>
  payment.state === 'reconciling' &&
  nowMs - payment.stateSinceMs >= settings.loseAfterMs * SEARCH_TIMES

const isOverdue = ({ payment, nowMs, settings }: Situation): boolean =>
  payment.state !== 'reconciling' && nowMs - payment.stateSinceMs >= settings.loseAfterMs

const isEqualTo = (expected: Execution, log: ExecutionLog): boolean =>
  Object.entries(expected).every(([field, value]) => log[field as keyof Execution] === value)
