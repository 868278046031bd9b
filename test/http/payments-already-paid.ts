/** A payment made on the chain but not yet in the database: nothing may change under it. */
import { beforeAll, expect, test } from 'vitest'
import { manualHouse } from '#test/http/manual-house.ts'
import { asOwner, forgetAttempts, untilLaneRests, writeStates } from '#test/support/lane-rows.ts'
import { expectPaidOnce } from '#test/support/paid-once.ts'
import {
  approve,
  awaitingApproval,
  type PayingHouse,
  payable,
  type ReadExpense,
  readExpense,
  readPayment,
  release,
  step,
  tokenBalance,
  untilState,
} from '#test/support/payments.ts'
import { openSecondVault } from '#test/support/second-vault.ts'
import { outcome } from '#test/support/steps.ts'

let house: PayingHouse

beforeAll(async () => {
  house = await manualHouse()
})

async function paid(terms: Record<string, unknown> = {}): Promise<ReadExpense> {
  const expense = await awaitingApproval(house, terms)
  expect((await approve(house, expense)).status).toBe(202)
  expect((await release(house, expense)).status).toBe(202)
  await untilState(house, expense.id, 'paid')
  await untilLaneRests(house)
  return expense
}

test('its expense cannot be changed, and reconciling marks it paid', async () => {
  const before = await tokenBalance(house, house.recipient)
  const expense = await paid()
  const { id, paymentId } = expense
  await forgetAttempts(house, paymentId)
  const code = 'payment_already_executed'
  await writeStates(house, expense, { payment: 'blocked', expense: 'blocked', code })
  const version = { expectedVersion: 1 }
  const reject = { ...version, action: 'reject', reason: 'Too late' }
  const revision = { ...payable(house), ...version, reason: 'Another amount' }
  const { employee, manager } = house
  for (const answer of [
    await step(house, `expenses/${id}/cancel`, version, employee),
    await step(house, `expenses/${id}/revisions`, revision, employee),
    await step(house, `expenses/${id}/review`, reject, manager),
  ]) {
    expect(outcome(answer)).toBe('409 state_conflict')
  }
  expect(await readExpense(house, id)).toMatchObject({ state: 'blocked', currentRevision: 1 })
  const reconciled = await step(house, `payments/${paymentId}/reconcile`, version, manager)
  expect([reconciled.status, reconciled.body.state]).toEqual([202, 'reconciling'])
  await expectPaidOnce(house, expense, before)
})

test('a payment whose report no worker sealed is blocked, not confirmed', async () => {
  const expense = await paid()
  const { id, paymentId } = expense
  await forgetAttempts(house, paymentId)
  await writeStates(house, expense, { payment: 'reserved', expense: 'approved_ready_for_payment' })
  const forget = 'update reports set mac = null, mac_key_id = null where expense_id = $1'
  await asOwner(house, forget, [id])
  expect((await release(house, expense)).status).toBe(202)
  await untilState(house, id, 'blocked')
  const { payment } = await readPayment(house, paymentId)
  expect([payment.state, payment.blockCode]).toEqual(['blocked', 'report_not_authentic'])
})

test('its vault cannot be archived before the payment is confirmed', async () => {
  const second = await openSecondVault(house, 5_000_000n)
  const expense = await paid({ vaultId: second.id })
  const archive = () => step(house, `vaults/${second.id}/archive`, undefined)
  // The vault's log is recorded; the payment awaits its evidence.
  await writeStates(house, expense, { payment: 'broadcast', expense: 'executing', isOpen: true })
  expect(outcome(await archive())).toBe('409 state_conflict')
  await writeStates(house, expense, { payment: 'confirmed', expense: 'paid' })
  expect((await archive()).status).toBe(200)
})
