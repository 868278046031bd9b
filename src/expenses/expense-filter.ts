/** Filters of the list of expenses. Pure. */
import { AppError } from '#platform/errors.ts'
import { type Period, readPeriod } from '#platform/period.ts'
import type { ExpenseState } from './expense.machine.ts'

export type ExpenseFilter = Period & {
  states?: readonly ExpenseState[]
  submitterAccountId?: string
  recipientId?: string
  vaultId?: string
  category?: string
  minAmount?: bigint
  maxAmount?: bigint
  q?: string
}

export type ExpenseFilterQuery = {
  state?: ExpenseState[]
  submitterAccountId?: string
  recipientId?: string
  vaultId?: string
  category?: string
  from?: string
  to?: string
  minAmount?: string
  maxAmount?: string
  q?: string
}

const invalid = (message: string) => new AppError('validation_failed', { message })

/** The index of the search holds words of letters and digits only. */
export function requireSearchable(q: string | undefined): void {
  if (q === undefined || /[\p{L}\p{Nd}]/u.test(q)) return
  throw invalid('`q` in the query must have a letter or a digit.')
}

export function readExpenseFilter(query: ExpenseFilterQuery): ExpenseFilter {
  const { state, from, to, minAmount, maxAmount, ...equal } = query
  requireSearchable(query.q)
  const min = minAmount === undefined ? undefined : BigInt(minAmount)
  const max = maxAmount === undefined ? undefined : BigInt(maxAmount)
  if (min !== undefined && max !== undefined && min > max) {
    throw invalid('`minAmount` in the query must not be above `maxAmount`.')
  }
  return {
    ...equal,
    ...readPeriod({ ...(from !== undefined && { from }), ...(to !== undefined && { to }) }),
    ...(state !== undefined && { states: [...new Set(state)] }),
    ...(min !== undefined && { minAmount: min }),
    ...(max !== undefined && { maxAmount: max }),
  }
}

/** Whether any filter is set. */
export const isFiltered = (filter: object): boolean => Object.keys(filter).length > 0
