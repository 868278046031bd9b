import { beforeAll, describe, expect, test } from 'vitest'
import type { TestApp } from '#test/support/app.ts'
import { cancel, expenseIn, expenseStates, readExpense } from '#test/support/expense-states.ts'
import { createExpense, type ExpenseHouse, openExpenseHouse } from '#test/support/expenses.ts'
import { sharedTestApp } from '#test/support/shared-app.ts'
import { outcome } from '#test/support/steps.ts'

let service: TestApp
let house: ExpenseHouse

beforeAll(async () => {
  service = await sharedTestApp()
  house = await openExpenseHouse(service)
})

/** Bodies, versions and permissions are tested for both steps in expenses-submit.test.ts. */
describe('POST {org}/expenses/{expenseId}/cancel', () => {
  const open = ['draft', 'needs_review', 'revision_requested', 'awaiting_approval', 'blocked']

  test.each(expenseStates.filter((state) => open.includes(state)))(
    'ends the expense from state %s',
    async (state) => {
      const expense = await expenseIn(service, house, state)
      const { status, body } = await cancel(service, house, { id: expense.id })
      expect(status).toBe(200)
      const changed = { state: 'cancelled', blockCode: null, updatedAt: expect.any(String) }
      expect(body).toEqual({ ...expense, ...changed })
      expect((await readExpense(service, house, expense.id)).body).toEqual(body)
    },
  )

  test.each(expenseStates.filter((state) => !open.includes(state)))(
    'is 409 from state %s and changes nothing',
    async (state) => {
      const expense = await expenseIn(service, house, state)
      const answer = await cancel(service, house, { id: expense.id })
      expect(outcome(answer)).toBe('409 state_conflict')
      expect((await readExpense(service, house, expense.id)).body).toEqual(expense)
    },
  )

  test('leaves the submitter free to create a new expense', async () => {
    const { id, paymentId } = await expenseIn(service, house, 'cancelled')
    const again = await createExpense(service, house)
    expect(again.status).toBe(201)
    expect([again.body.id, again.body.paymentId]).not.toContain(id)
    expect(again.body.paymentId).not.toBe(paymentId)
  })
})
