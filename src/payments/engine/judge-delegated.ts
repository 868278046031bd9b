/**
 * What is to be done about a payment that was entrusted to a provider which sends by itself: pure,
 * from the provider's last word and from what the nodes say together.
 *
 * The word only tells where to look. The vault's log decides first, whoever sent it; and before
 * the word can end anything, the vault must say at a final block that is later than the word that
 * it has not paid. Rule N for such payments stands here and nowhere else.
 */
import type { PaymentState } from '#payments/payment.machine.ts'
import type { EntrustedAttempt, EntrustedWord } from './attempt.ts'
import {
  isHighEnough,
  isLongAgo,
  judgeSuccess,
  type SeenPayment,
  type Situation,
  type Verdict,
  WAIT,
} from './judgement.ts'
import type { Heard } from './lane.ts'

type Meaning = {
  /** Where the payment goes with it, if it is not there already. */
  event: Heard['event']
  /** The provider has no more to do: what this comes to once rule N holds. */
  end?: Extract<Verdict, { do: 'fail' | 'deny' }>
}

const meanings: Record<EntrustedWord, Meaning> = {
  accepted: { event: null },
  sent: { event: 'accept' },
  stuck: { event: 'lose' },
  mined: { event: 'accept' },
  denied: { event: 'lose', end: { do: 'deny', code: 'provider_denied' } },
  refused: { event: 'lose', end: { do: 'deny', code: 'provider_refused' } },
  failed: { event: 'lose', end: { do: 'fail', code: 'provider_failed' } },
  cancelled: { event: 'lose', end: { do: 'fail', code: 'provider_cancelled' } },
}

/** The provider will do no more about it, and need not be asked again. */
export const isOver = (word: EntrustedWord | null): boolean =>
  word !== null && meanings[word].end !== undefined

/** From here on it is the chain's to tell. */
export const isDone = (word: EntrustedWord | null): boolean => word === 'mined' || isOver(word)

/** Null when the word changes nothing about where the payment stands. */
export function eventOf(state: PaymentState, word: EntrustedWord): Heard['event'] {
  const { event } = meanings[word]
  if (event === 'lose') return state === 'submitting' || state === 'broadcast' ? event : null
  return state === 'submitting' || (state === 'reconciling' && word === 'sent') ? event : null
}

type Asked = Pick<Situation, 'payment' | 'view' | 'finalizedFloor'>

/** What the provider did before its word is final: the vault has paid by now, or did not. */
const isHeardFinal = ({ heardBlock }: EntrustedAttempt, { view }: Pick<Asked, 'view'>): boolean =>
  view.outcome === 'seen' && heardBlock !== null && heardBlock <= view.finalizedNumber

export const isEntrustedEvidenceDue = (asked: Asked, attempt: EntrustedAttempt): boolean =>
  isHighEnough(asked) &&
  (isHeardFinal(attempt, asked) || ['reconciling', 'blocked'].includes(asked.payment.state))

export function judgeEntrusted(situation: Situation, attempt: EntrustedAttempt): Verdict {
  const { payment } = situation
  const verdict = judge(situation, attempt)
  if (payment.state === 'blocked') return isMended(situation, verdict) ? { do: 'reconcile' } : WAIT
  // The table knows no way from submitting to an outcome but through reconciling.
  return verdict.do === 'confirm' && payment.state === 'submitting' ? { do: 'lose' } : verdict
}

/** Blocked for a person, but still watched: whatever is decided by now goes on by itself. */
function isMended({ payment, view }: Situation, verdict: Verdict): boolean {
  if (['confirm', 'fail', 'deny'].includes(verdict.do)) return true
  const isAgreed = view.outcome === 'seen' && verdict.do !== 'block'
  return payment.blockCode === 'nodes_disagree' && isAgreed
}

function judge(situation: Situation, attempt: EntrustedAttempt): Verdict {
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

/** The vault has not paid, at a final block. Undefined while the provider may still make it. */
function judgeUnpaid(
  situation: Situation,
  attempt: EntrustedAttempt,
  { receipts }: SeenPayment,
): Verdict | undefined {
  const { isGivenUp } = situation.payment
  const { word, transactionHash } = attempt
  const isMined = receipts.some((receipt) => receipt.transactionHash === transactionHash)
  const isSpoken = isHeardFinal(attempt, situation)
  if (isSpoken && word !== null) {
    const { end } = meanings[word]
    // Rule N: the provider has ended it, nothing is paid at a final block after its word, and what
    // it had sent is mined for good. With any status: a bundle succeeds though our call reverted.
    if (end && (isMined || transactionHash === null)) return end
    // One that cannot be looked at may have changed its mind since, and is asked again first.
    const isLastWord = situation.provider?.poll !== undefined
    if (word === 'mined' && isMined && isLastWord && !isGivenUp) {
      return { do: 'block', code: 'execution_unexplained' }
    }
  }
  // A person's word stands for what nobody can prove, except while the provider has it in hand.
  if (isGivenUp && (isSpoken || word === null)) return { do: 'fail', code: 'execution_not_found' }
  return isLongAgo(situation) ? { do: 'block', code: 'execution_not_found' } : undefined
}

/** Nothing is known of it on the chain: all that can be done is to ask the provider. */
function judgeUnseen(situation: Situation, attempt: EntrustedAttempt): Verdict {
  if (isUnheard(situation, attempt)) return { do: 'lose' }
  if (!isRepeatDue(situation, attempt)) return WAIT
  // The rows were changed since: what would be asked for now is not what was approved then.
  return attempt.isSameCall ? { do: 'repeat', attempt } : { do: 'block', code: 'evidence_mismatch' }
}

/** Nobody knows how it stands, and has not for a while. */
function isUnheard({ payment, nowMs, settings }: Situation, attempt: EntrustedAttempt): boolean {
  const sinceMs = Math.max(attempt.heardAtMs ?? attempt.writtenAtMs, payment.stateSinceMs)
  const isAsked = !isDone(attempt.word) && payment.state !== 'reconciling'
  return isAsked && nowMs - sinceMs >= settings.loseAfterMs
}

/** It has not answered, or cannot be asked in another way than by the same request again. */
function isRepeatDue(situation: Situation, attempt: EntrustedAttempt): boolean {
  const { provider, nowMs } = situation
  const { word, providerReference, sentAtMs, writtenAtMs } = attempt
  if (!provider || isOver(word)) return false
  if (word === 'mined' && !isHeardFinal(attempt, situation)) return false
  if (providerReference !== null && provider.poll) return false
  return nowMs - (sentAtMs ?? writtenAtMs) >= provider.repeatAfterMs
}
