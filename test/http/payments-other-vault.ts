/**
 * No vault pays what another vault has paid, even after restoring a backup without that payment.
 */
import { beforeAll, expect, test } from 'vitest'
import { findChainPaymentId } from '#payments/reserve-payment.ts'
import { manualHouse } from '#test/http/manual-house.ts'
import { asOwner, forgetAttempts } from '#test/support/lane-rows.ts'
import { untilPayment } from '#test/support/paid-once.ts'
import {
  approve,
  automaticReady,
  awaitingApproval,
  type PayingHouse,
  payable,
  prepare,
  prepareAndSign,
  type ReadExpense,
  readExpense,
  readPayment,
  release,
  step,
  submitSignature,
  tokenBalance,
  untilState,
} from '#test/support/payments.ts'
import { openSecondVault } from '#test/support/second-vault.ts'
import { outcome } from '#test/support/steps.ts'
import { key, randomHash, type Treasury, type VaultRecord } from '#test/support/treasury.ts'
import { insertVaultPayment } from '#treasury/vaults.store.ts'

let treasury: Treasury
let house: PayingHouse
let second: VaultRecord

beforeAll(async () => {
  house = await manualHouse()
  treasury = house.treasury
  second = await openSecondVault(house, 50_000_000n)
})

/** Records a payment of this expense by the first vault, as the follower does. */
async function writePaidByFirst({ paymentId }: Pick<ReadExpense, 'paymentId'>): Promise<void> {
  const { db } = treasury.service.ctx
  const organizationId = house.id
  await db.transaction({ organizationId }, async (tx) =>
    insertVaultPayment(tx, {
      organizationId,
      vaultId: house.vault.id,
      chainPaymentId: await findChainPaymentId(tx, { organizationId, paymentId }, 31_337),
      recipientAddress: house.recipient.toLowerCase(),
      mode: 'approved',
      amount: 1n,
      transactionHash: randomHash(),
      blockNumber: 1,
      timeSeconds: 1_700_000_000,
    }),
  )
}

const reservedOfSecond = async (): Promise<ReadExpense> => {
  const expense = await awaitingApproval(house, { vaultId: second.id })
  expect((await approve(house, expense)).body.state).toBe('reserved')
  return expense
}

test('a lost payment revised to the second vault cannot be signed', async () => {
  const expense = await awaitingApproval(house)
  expect((await approve(house, expense)).status).toBe(202)
  expect((await release(house, expense)).status).toBe(202)
  await untilState(house, expense.id, 'paid')
  const before = await tokenBalance(house, house.recipient)
  const { id, paymentId } = expense
  await forgetAttempts(house, paymentId)
  await asOwner(house, 'delete from payments where id = $1', [paymentId])
  await asOwner(house, 'delete from approvals where expense_id = $1', [id])
  await asOwner(house, `update expenses set state = 'awaiting_approval' where id = $1`, [id])
  const terms = payable(house, { vaultId: second.id })
  const body = { ...terms, expectedVersion: 1, reason: 'The first vault is short' }
  expect((await step(house, `expenses/${id}/revisions`, body, house.employee)).status).toBe(201)
  await step(house, `expenses/${id}/submit`, { expectedVersion: 2 }, house.employee)
  await untilState(house, id, 'needs_review')
  const advance = { expectedVersion: 2, action: 'advance_to_approval', reason: 'As agreed' }
  await step(house, `expenses/${id}/review`, advance, house.manager)
  const revised = await readExpense(house, id)
  expect([revised.state, revised.currentRevision]).toEqual(['awaiting_approval', 2])
  expect(outcome(await prepare(house, revised))).toBe('409 state_conflict')
  expect(await tokenBalance(house, house.recipient)).toBe(before)
})

test("a signature after the first vault's log is refused with 409 state_conflict", async () => {
  const expense = await awaitingApproval(house, { vaultId: second.id })
  const signed = await prepareAndSign(house, expense)
  await writePaidByFirst(expense)
  expect(outcome(await submitSignature(house, expense, signed))).toBe('409 state_conflict')
  expect((await readExpense(house, expense.id)).state).toBe('awaiting_approval')
})

test('an automatic payment goes to review', async () => {
  const made = await treasury.service.call('POST', `${house.path}/expenses`, {
    token: house.employee.token,
    headers: key(),
    body: payable(house, { vaultId: second.id, requestedMode: 'automatic' }),
  })
  expect(made.status).toBe(201)
  await writePaidByFirst(made.body)
  const { id } = made.body
  await step(house, `expenses/${id}/submit`, { expectedVersion: 1 }, house.employee)
  const states = ['needs_review', 'automatic_ready_for_payment', 'analysis_failed']
  expect((await untilState(house, id, states)).state).toBe('needs_review')
})

test.each([
  ['signed', reservedOfSecond],
  ['automatic', () => automaticReady(house, { vaultId: second.id })],
])('a payment already reserved (%s) is blocked, and nothing is sent', async (_mode, make) => {
  const expense = await make()
  const before = await tokenBalance(house, house.recipient)
  await writePaidByFirst(expense)
  expect((await release(house, expense)).body.state).toBeOneOf(['queued', 'blocked'])
  const { payment, attempts } = await untilPayment(house, expense.paymentId, 'blocked')
  expect([payment.blockCode, attempts]).toEqual(['paid_by_another_vault', []])
  expect((await readExpense(house, expense.id)).state).toBe('blocked')
  expect(outcome(await release(house, expense))).toBe('409 state_conflict')
  expect((await readPayment(house, expense.paymentId)).payment.state).toBe('blocked')
  expect(await tokenBalance(house, house.recipient)).toBe(before)
})
