/** What an operator does next about a payment. Operators cannot move money, so it is never that. */
import { blockWords } from '@countersign/app-kit/words/block-codes.ts'
import { postponedUntilOf } from '@countersign/app-kit/words/postponed-until.ts'
import { OPERATOR_REMEDIES } from '../words/operator-remedies.ts'

export type NextStep =
  /** Somebody has to find out what happened, and it is you. */
  | 'investigate'
  /** The executor can be looked at again. */
  | 'executor'
  /** Members can free it themselves, once they know how. */
  | 'tell'
  /** Approvers have to sign it first. */
  | 'unsigned'
  /** It waits for the end of a spending period. */
  | 'postponed'
  /** It waits for its turn to be sent. */
  | 'queued'
  /** It was sent a moment ago. */
  | 'sent'
  /** It was sent minutes ago, and the chain has not mined it. */
  | 'unmined'
  /** The chain mines another transaction of the executor first. */
  | 'behind'
  /** The engine is finding out. */
  | 'wait'
  | 'nothing'

type Attempt = { state: string; nonce: number | null; createdAt: string }

export type Told = {
  expense: { state: string; blockCode: string | null }
  payment: {
    state: string
    blockCode: string | null
    requiredApprovals: number
    signedApprovals: number
    postponedUntil?: string | null
  } | null
  /** Newest first. */
  attempts: readonly Attempt[]
  attemptsAhead: readonly unknown[]
}

const EXECUTOR_CODES: readonly string[] = ['executor_not_ready', 'provider_failed']

export const blockCodeOf = ({
  expense,
  payment,
}: {
  expense: { blockCode: string | null }
  payment: { blockCode: string | null } | null
}) => payment?.blockCode ?? expense.blockCode

/**
 * The transaction that may still be mined, and those that it replaces, newest first. A provider
 * that sends by itself names no nonce.
 */
export function openAttemptsOf<A extends Attempt>({
  attempts,
}: {
  attempts: readonly A[]
}): readonly A[] {
  const [last] = attempts
  const isOpen = last && last.nonce !== null && ['written', 'sent'].includes(last.state)
  return isOpen ? attempts.filter(({ nonce }) => nonce === last.nonce) : []
}

/** Long enough for a block that is full, and for a replacement with a higher fee. */
const LATE_MS = 120_000

/** Whether the first of these attempts is old. The engine goes on sending it all the while. */
export const isLate = (attempts: readonly Pick<Attempt, 'createdAt'>[], now: number): boolean =>
  attempts.some(({ createdAt }) => now - new Date(createdAt).getTime() > LATE_MS)

function stepUnsent(payment: NonNullable<Told['payment']>): NextStep {
  if (payment.signedApprovals < payment.requiredApprovals) return 'unsigned'
  return postponedUntilOf(payment) ? 'postponed' : 'queued'
}

function stepInFlight(
  payment: NonNullable<Told['payment']>,
  story: Told,
  now: number,
): NextStep | undefined {
  const { state } = payment
  if (state === 'reserved' || state === 'queued') return stepUnsent(payment)
  if (!['submitting', 'broadcast', 'reconciling'].includes(state)) return undefined
  const open = openAttemptsOf(story)
  if (open.length === 0) return state === 'reconciling' ? 'wait' : 'sent'
  if (!isLate(open, now)) return 'sent'
  return story.attemptsAhead.length > 0 ? 'behind' : 'unmined'
}

export function nextStepOf(story: Told, now: number): NextStep {
  const { expense, payment } = story
  const inFlight = payment && stepInFlight(payment, story, now)
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
