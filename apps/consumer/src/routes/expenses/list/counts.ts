/** The figures beside the views. Pure. */

import type { ExpenseState } from '@countersign/app-kit/words/states.ts'
import type { DataOf } from '@countersign/client/operation-types.ts'

type Counts = DataOf<'countExpenses'>

const COUNTED_TO = 100

/** The sum over the states (all without), and whether there may be more. */
export function countOf(
  { counts, total, isComplete }: Counts,
  states: readonly ExpenseState[] | null,
): { count: number; isMore: boolean } {
  if (!states) return { count: total, isMore: !isComplete }
  const each = states.map((state) => counts[state])
  const count = each.reduce((sum, one) => sum + one, 0)
  return { count, isMore: !isComplete && each.some((one) => one >= COUNTED_TO) }
}

export const countText = ({ count, isMore }: { count: number; isMore: boolean }): string =>
  isMore ? `${Math.min(count, COUNTED_TO)}+` : String(count)
