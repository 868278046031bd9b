/** The order of the queue: the worst first, and of equals whoever has waited longest. Pure. */
import type { OperatorTask } from '../../data/operator-live.tsx'

type Ranked = Pick<OperatorTask, 'aggregateType' | 'state' | 'updatedAt' | 'id'>

/** Money that is stuck comes before people who wait, and they before what may settle by itself. */
function rankOf({ aggregateType, state }: Ranked): number {
  if (aggregateType === 'payment') return state === 'reconciling' ? 3 : 0
  if (aggregateType === 'support_case') return state === 'investigating' ? 2 : 1
  return 2
}

export const worstFirst = <Task extends Ranked>(tasks: readonly Task[]): Task[] =>
  [...tasks].sort(
    (one, other) =>
      rankOf(one) - rankOf(other) ||
      one.updatedAt.localeCompare(other.updatedAt) ||
      one.id.localeCompare(other.id),
  )
