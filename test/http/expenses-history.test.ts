/** History counts an expense from its submission, however old the draft is. */
import { beforeAll, expect, test } from 'vitest'
import type { TestApp } from '#test/support/app.ts'
import { readExpense, submit } from '#test/support/expense-states.ts'
import { analyse, createExpense, openExpenseHouse } from '#test/support/expenses.ts'
import { sharedTestApp } from '#test/support/shared-app.ts'
import { liftOwnersRowSecurity, times } from '#test/support/steps.ts'

let service: TestApp

beforeAll(async () => {
  service = await sharedTestApp()
  await liftOwnersRowSecurity(service.database)
})

test('twelve day-old drafts submitted together count as twelve within one hour', async () => {
  const house = await openExpenseHouse(service)
  const ids: string[] = []
  for (const n of times(12, (index) => index + 1)) {
    const purpose = `Translation of chapter ${n} of the handbook, order ${700 + n}`
    const terms = { requestedMode: 'automatic', purpose, amountBaseUnits: String(1_000_000 + n) }
    const made = await createExpense(service, house, { terms })
    ids.push(made.body.id)
  }
  await service.database.asOwner(
    `update expense_revisions set created_at = now() - interval '25 hours'`,
  )
  const states: string[] = []
  for (const id of ids) {
    const { body } = await submit(service, house, { id, person: house.employee })
    await analyse(service, house, body.taskId)
    states.push((await readExpense(service, house, id)).body.state)
  }
  expect(states.slice(0, 10)).toEqual(times(10, () => 'automatic_ready_for_payment'))
  expect(states.slice(10)).toEqual(['needs_review', 'needs_review'])
})
