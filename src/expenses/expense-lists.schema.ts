/** Queries and answers of the list of expenses and of their counts. */

import { component } from '#http/openapi.ts'
import { statesOf } from '#platform/machine.ts'
import { NextCursor, PageQuery } from '#platform/paging.ts'
import { periodQuery } from '#platform/period.ts'
import { Type } from '#platform/schema.ts'
import {
  added,
  baseUnits,
  described,
  extension,
  line,
  NonNeg,
  oneOf,
  Uuid,
} from '#platform/values.ts'
import { type ExpenseState, expenseMachine } from './expense.machine.ts'
import { expenseState, ListedExpenseSchema, stateMeanings } from './expenses.schema.ts'

export const ExpenseListSchema = Type.Object(
  {
    expenses: Type.Array(component(ListedExpenseSchema), { description: 'Newest first' }),
    nextCursor: NextCursor,
  },
  { title: 'ExpenseList' },
)

const filters = {
  state: Type.Optional(
    Type.Array(expenseState, {
      minItems: 1,
      maxItems: statesOf(expenseMachine).length,
      description: 'Only expenses in this state; repeat it for several',
      ...extension,
    }),
  ),
  submitterAccountId: Type.Optional(added(Uuid, 'Only expenses submitted by this member')),
  recipientId: Type.Optional(
    added(Uuid, 'Only expenses whose current revision pays this recipient'),
  ),
  vaultId: Type.Optional(added(Uuid, 'Only expenses to be paid by this vault')),
  category: Type.Optional(added(line({ max: 40 }), 'Only expenses with this category code')),
  ...periodQuery('Only expenses created'),
  minAmount: Type.Optional(added(baseUnits({ digits: 39 }), 'Minimum amount in base units')),
  maxAmount: Type.Optional(added(baseUnits({ digits: 39 }), 'Maximum amount in base units')),
  q: Type.Optional(
    added(
      line({ max: 100 }),
      "Words, or beginnings of words, in the purpose, the reference or the recipient's label",
    ),
  ),
  waitingFor: Type.Optional(
    added(oneOf(['me']), 'Only expenses with a task that needs action by the caller'),
  ),
}

export const ExpenseCountQuery = Type.Object(filters)
export const ExpenseListQuery = Type.Object({ ...PageQuery.properties, ...filters })

const countOf = (state: ExpenseState) => described(NonNeg, stateMeanings[state])

export const ExpenseCountsSchema = Type.Object(
  {
    counts: Type.Object(
      Object.fromEntries(statesOf(expenseMachine).map((state) => [state, countOf(state)])) as {
        [State in ExpenseState]: ReturnType<typeof countOf>
      },
      { title: 'ExpenseStateCounts', description: 'Expenses in each state' },
    ),
    total: described(NonNeg, 'Expenses in all states together'),
    isComplete: Type.Boolean({
      description:
        'False if there are more expenses than were counted. Without a filter, or with `state` ' +
        'alone, each state is counted up to 100; with any other filter the counts cover the ' +
        'newest 100 expenses or somewhat more',
    }),
  },
  { title: 'ExpenseCounts' },
)
