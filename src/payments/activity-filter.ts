/** Filters of the list of payments. Pure. */
import { requireSearchable } from '#expenses/expense-filter.ts'
import { type Period, readPeriod } from '#platform/period.ts'
import type { PaymentState } from './payment.machine.ts'

export type ActivityFilter = Period & {
  states?: readonly PaymentState[]
  recipientId?: string
  q?: string
}

export type ActivityFilterQuery = {
  state?: PaymentState[]
  recipientId?: string
  from?: string
  to?: string
  q?: string
}

export function readActivityFilter(query: ActivityFilterQuery): ActivityFilter {
  const { state, from, to, ...equal } = query
  requireSearchable(query.q)
  return {
    ...equal,
    ...readPeriod({ ...(from !== undefined && { from }), ...(to !== undefined && { to }) }),
    ...(state !== undefined && { states: [...new Set(state)] }),
  }
}
