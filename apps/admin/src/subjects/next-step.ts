/** What an operator does next about a payment. Operators cannot move money, so it is never that. */
import { blockWords } from '@countersign/app-kit/words/block-codes.ts'
import { OPERATOR_REMEDIES } from '../words/operator-remedies.ts'

export type NextStep =
  /** Somebody has to find out what happened, and it is you. */
  | 'investigate'
  /** The executor can be looked at again. */
  | 'executor'
  /** Members can free it themselves, once they know how. */
  | 'tell'
  /** It waits for its turn to be sent. */
  | 'queued'
  /** It was sent a moment ago. */
  | 'sent'
  /** It was sent a while ago, and the chain has not mined it. */
  | 'unmined'
  /** The chain mines another transaction of the executor first. */
  | 'behind'
  /** The engine is finding out. */
  | 'wait'
  | 'nothing'

type Attempt = { state: string; nonce: number | null; createdAt: string }

export type Told = {
  expense: { state: string; blockCode: string | null }
  payment: { state: string; blockCode: string | null } | null
  /** Newest first. */
  attempts: readonly Attempt[]
  attemptsAhead: readonly unknown[]
}

const EXECUTOR_CODES: readonly string[] = ['executor_not_ready', 'provider_failed']

export const blockCodeOf = ({ expense, payment }: Pick<Told, 'expense' | 'payment'>) =>
  payment?.blockCode ?? expense.blockCode

/** The transaction that may still be mined. A provider that sends by itself names no nonce. */
export function openAttemptOf<A extends Attempt>({
  attempts: [last],
}: {
  attempts: readonly A[]
}): A | undefined {
  const isOpen = last && last.nonce !== null && ['written', 'sent'].includes(last.state)
  return isOpen ? last : undefined
}

function stepInFlight(state: string, story: Told): NextStep | undefined {
  if (state === 'reserved' || state === 'queued') return 'queued'
  if (!['submitting', 'broadcast', 'reconciling'].includes(state)) return undefined
  if (openAttemptOf(story)) {
    if (story.attemptsAhead.length > 0) return 'behind'
    return state === 'reconciling' ? 'unmined' : 'sent'
  }
  return state === 'reconciling' ? 'wait' : 'sent'
}

export function nextStepOf(story: Told): NextStep {
  const { expense, payment } = story
  const inFlight = payment && stepInFlight(payment.state, story)
  if (inFlight) return inFlight
  const isStuck =
    expense.state === 'blocked' || payment?.state === 'blocked' || payment?.state === 'failed'
  if (!isStuck) return 'nothing'
  const code = blockCodeOf(story)
  if (code !== null && EXECUTOR_CODES.includes(code)) return 'executor'
  if (code !== null && Object.hasOwn(OPERATOR_REMEDIES, code)) return 'investigate'
  const [first] = blockWords(code).ways
  return first === 'support' ? 'investigate' : 'tell'
}
