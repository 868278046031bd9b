/** A payment that was blocked because the service did not write its rows can never be paid. */
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { expireApproval } from '#approvals/end-approval.ts'
import type { TestApp } from '#test/support/app.ts'
import { review } from '#test/support/expense-states.ts'
import {
  type Awaiting,
  approvalStates,
  awaiting,
  expenseOf,
  openSeveralHouse,
  paymentOf,
  preparedBy,
  type SeveralHouse,
  signedBy,
  signerOf,
  submit,
} from '#test/support/several-signers.ts'
import { sharedTestApp } from '#test/support/shared-app.ts'
import { liftOwnersRowSecurity, outcome } from '#test/support/steps.ts'

let service: TestApp
let house: SeveralHouse
let expense: Awaiting

beforeAll(async () => {
  service = await sharedTestApp()
  await liftOwnersRowSecurity(service.database)
})

const forged = 'signature_not_authentic'
const blockAsForged = () =>
  Promise.all(
    [
      `update payments set state = 'blocked', block_code = $2 where expense_id = $1`,
      `update expenses set state = 'blocked', block_code = $2 where id = $1`,
    ].map((statement) => service.database.asOwner(statement, [expense.id, forged])),
  )
const signAgain = async () => {
  const advanced = await review(service, house, { id: expense.id, action: 'advance_to_approval' })
  expect(advanced.status).toBe(200)
  return submit(
    service,
    house,
    expense,
    await preparedBy(service, house, expense, signerOf(house, 0)),
  )
}

beforeEach(async () => {
  house = await openSeveralHouse(service)
  expense = await awaiting(service, house)
  for (const index of [0, 1]) {
    const { status } = await signedBy(service, house, expense, signerOf(house, index))
    expect(status).toBe(202)
  }
  await blockAsForged()
})

test('stays blocked when its approvals expire', async () => {
  const { id: organizationId } = house.organization
  const open = await service.database.asOwner<{ id: string }>(
    `update approvals set deadline = now() - interval '2 seconds' where expense_id = $1
     returning id`,
    [expense.id],
  )
  for (const { id } of open) await expireApproval(service.ctx, { organizationId, approvalId: id })
  expect(await approvalStates(service, house, expense)).toEqual(['expired', 'expired'])
  expect(await expenseOf(service, house, expense)).toMatchObject({
    state: 'blocked',
    blockCode: forged,
  })
})

test('takes no signature again, even if a reviewer asks for one', async () => {
  const answer = await signAgain()
  expect(outcome(answer)).toBe('409 state_conflict')
  expect(answer.body.error.message).toMatch(/^This revision can never be paid/)
  const { payment } = await paymentOf(service, house, expense)
  expect([payment.state, payment.blockCode]).toEqual(['blocked', forged])
})
