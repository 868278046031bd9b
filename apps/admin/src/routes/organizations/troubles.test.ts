import { expect, test } from 'vitest'
import { troublesOf } from './troubles.ts'

test('stuck payments come with their expense, then expenses that never got a payment', () => {
  const expenses = [
    { id: 'a', state: 'blocked' },
    { id: 'b', state: 'blocked' },
    { id: 'c', state: 'paid' },
  ]
  const payments = [
    { expenseId: 'a', state: 'blocked' },
    { expenseId: 'c', state: 'confirmed' },
    { expenseId: 'old', state: 'reconciling' },
  ]
  const supportCases = [{ status: 'resolved' }, { status: 'reopened' }]
  expect(troublesOf({ expenses, payments, supportCases })).toEqual({
    blocked: [
      { expense: expenses[0], payment: payments[0] },
      { expense: undefined, payment: payments[2] },
      { expense: expenses[1] },
    ],
    openCases: [{ status: 'reopened' }],
  })
})
