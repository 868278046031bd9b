/** Which executor an organization uses, which one follows and which ones end. Pure. */
import type { BindingEvent, BindingState } from './executor.machine.ts'

export type RotatedBinding = {
  id: string
  state: BindingState
  /** The policy in force of one of the vaults names it. */
  isNamed: boolean
  /** Something may still be sent by it, or a reorganisation may bring it back. */
  isNeeded: boolean
}

/**
 * The newest executor that a policy in force names is the active one; older ones drain, newer ones
 * are next. While no policy names any, nothing changes. So the states follow from the chain alone,
 * also after a veto or a rollback. The bindings are not retired, oldest first.
 */
export function rotationMoves<T extends RotatedBinding>(
  bindings: readonly T[],
): { binding: T; event: BindingEvent }[] {
  const inUse = bindings.findLastIndex(({ isNamed }) => isNamed)
  if (inUse === -1) return []
  const moves = bindings.flatMap((binding, place) => {
    const event = eventFor(binding, place - inUse)
    return event ? [{ binding, event }] : []
  })
  // An organization has one active binding at any time: the other one leaves first.
  const isLast = ({ event }: { event: BindingEvent }) => event === 'activate'
  return [...moves.filter((move) => !isLast(move)), ...moves.filter(isLast)]
}

function eventFor({ state, isNeeded }: RotatedBinding, distance: number): BindingEvent | undefined {
  if (distance === 0) return state === 'active' ? undefined : 'activate'
  if (distance > 0) return state === 'next' ? undefined : 'withdraw'
  if (state !== 'draining') return 'replace'
  return isNeeded ? undefined : 'retire'
}
