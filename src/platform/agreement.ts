/**
 * The agreement rule for answers of several nodes. A node that rejects (no answer, rate limit,
 * missing block) has no vote; at least `quorum` nodes must vote, and all votes must be equal. Pure,
 * so that the payment engine may use it.
 */
import { isDeepStrictEqual } from 'node:util'

export type Agreement<T> =
  | { outcome: 'agreed'; answer: T }
  /** Fewer answers than the quorum. */
  | { outcome: 'unavailable' }
  | { outcome: 'disagree' }

export type Answers<T> = { answers: T[]; rejections: unknown[] }

/** Waits for every node. A rejection never counts as an answer. */
export async function collectAnswers<T>(asked: readonly Promise<T>[]): Promise<Answers<T>> {
  const settled = await Promise.allSettled(asked)
  return {
    answers: settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])),
    rejections: settled.flatMap((one) => (one.status === 'rejected' ? [one.reason] : [])),
  }
}

export function agreementOf<T>(
  answers: readonly T[],
  { quorum }: { quorum: number },
): Agreement<T> {
  if (answers.length === 0 || answers.length < quorum) return { outcome: 'unavailable' }
  const [first, ...others] = answers as readonly [T, ...T[]]
  const isEqual = others.every((other) => isDeepStrictEqual(other, first))
  return isEqual ? { outcome: 'agreed', answer: first } : { outcome: 'disagree' }
}
