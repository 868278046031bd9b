/** State machines as tables. `next` throws for a transition that is not in the table. */
import { AppError } from './errors.ts'

export type Machine<State extends string, Event extends string> = {
  name: string
  moves: Record<State, Partial<Record<Event, State>>>
}

/** The machine's states in the order of its table, as the API schemas list them. */
export const statesOf = <State extends string>(machine: Machine<State, never>): State[] =>
  Object.keys(machine.moves) as State[]

export function next<State extends string, Event extends string>(
  machine: Machine<State, Event>,
  { from, event }: { from: State; event: Event },
): State {
  const moves = machine.moves[from]
  const to = Object.hasOwn(moves, event) ? moves[event] : undefined
  if (to === undefined) throw new AppError('state_conflict')
  return to
}
