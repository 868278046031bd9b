/** From an employee's request to the transfer, and the evidence for it. */
import { verifyEvidence } from '@countersign/proof/verify-evidence.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  approve,
  awaitingApproval,
  openPayingHouse,
  type PayingHouse,
  readPayment,
  submitExpense,
  tokenBalance,
  untilState,
} from '#test/support/payments.ts'
import { overviewOf, startTreasury, type Treasury } from '#test/support/treasury.ts'

let treasury: Treasury
let house: PayingHouse

beforeAll(async () => {
  treasury = await startTreasury()
  house = await openPayingHouse(treasury)
})
afterAll(() => treasury.stop())

const balances = async () => ({
  vault: await tokenBalance(house, house.vault.address),
  recipient: await tokenBalance(house, house.recipient),
})

describe('an approved expense', () => {
  test('is paid: the recipient gains what the vault loses', async () => {
    const before = await balances()
    const expense = await awaitingApproval(house)
    const accepted = await approve(house, expense)
    expect([accepted.status, accepted.body.state]).toEqual([202, 'queued'])
    const paid = await untilState(house, expense.id, 'paid')
    const amount = BigInt(paid.revision.amountBaseUnits)
    expect(await balances()).toEqual({
      vault: before.vault - amount,
      recipient: before.recipient + amount,
    })
    const { payment, attempts, receipt, evidence } = await readPayment(house, paid.paymentId)
    expect(payment).toMatchObject({ state: 'confirmed', mode: 'approved', blockCode: null })
    expect(attempts).toHaveLength(1)
    expect(receipt).toMatchObject({ status: 'success', transactionHash: payment.transactionHash })
    expect(evidence.matches).toBe(true)
    expect((await verifyEvidence(evidence)).filter(({ holds }) => !holds)).toEqual([])
    const overview = await overviewOf(treasury, house)
    expect(overview.balanceBaseUnits).toBe((before.vault - amount).toString())
    expect(overview.remainingAllowanceBaseUnits).toBe((90_000_000n - amount).toString())
  })
})

describe('an automatic expense', () => {
  test('is paid without a signature when the report is clean', async () => {
    const before = await balances()
    const id = await submitExpense(house, { requestedMode: 'automatic' })
    const paid = await untilState(house, id, 'paid')
    const amount = BigInt(paid.revision.amountBaseUnits)
    expect(await balances()).toEqual({
      vault: before.vault - amount,
      recipient: before.recipient + amount,
    })
    const { payment, evidence } = await readPayment(house, paid.paymentId)
    expect(payment).toMatchObject({ state: 'confirmed', mode: 'automatic', approvalId: null })
    expect((await verifyEvidence(evidence)).filter(({ holds }) => !holds)).toEqual([])
  })
})
