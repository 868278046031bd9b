/** What an operator does next about a payment. Operators cannot move money, so it is never that. */
import { blockWords } from '@countersign/app-kit/words/block-codes.ts'

export type NextStep =
  /** Somebody has to find out what happened, and it is you. */
  | 'investigate'
  /** The executor can be looked at again. */
  | 'executor'
  /** Members can free it themselves, once they know how. */
  | 'tell'
  /** The engine is finding out. */
  | 'wait'
  | 'nothing'

type Told = {
  expense: { state: string; blockCode: string | null }
  payment: { state: string; blockCode: string | null } | null
}

const EXECUTOR_CODES: readonly string[] = ['executor_not_ready', 'provider_failed']

export const blockCodeOf = ({ expense, payment }: Told): string | null =>
  payment?.blockCode ?? expense.blockCode

export function nextStepOf(story: Told): NextStep {
  const { expense, payment } = story
  if (payment?.state === 'reconciling') return 'wait'
  const isStuck =
    expense.state === 'blocked' || payment?.state === 'blocked' || payment?.state === 'failed'
  if (!isStuck) return 'nothing'
  const code = blockCodeOf(story)
  if (code !== null && EXECUTOR_CODES.includes(code)) return 'executor'
  const [first] = blockWords(code).ways
  return first === 'support' ? 'investigate' : 'tell'
}
