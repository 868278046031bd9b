/** A blocked payment that is released or signed again is paid once. */
import { vaultAbi } from '@countersign/proof/vault-artifact.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { executions, pauseToken } from '#test/support/past-the-service.ts'
import {
  approve,
  awaitingApproval,
  openPayingHouse,
  type PayingHouse,
  type ReadExpense,
  readExpense,
  readPayment,
  release,
  renewPolicy,
  step,
  tokenBalance,
  untilState,
} from '#test/support/payments.ts'
import { outcome } from '#test/support/steps.ts'
import { overviewOf, startTreasury, type Treasury } from '#test/support/treasury.ts'

let treasury: Treasury
let house: PayingHouse

beforeAll(async () => {
  treasury = await startTreasury()
  house = await openPayingHouse(treasury)
})
afterAll(() => treasury.stop())

async function expectPaidOnce(expense: ReadExpense, before: bigint): Promise<void> {
  const paid = await untilState(house, expense.id, 'paid')
  const { payment, evidence } = await readPayment(house, expense.paymentId)
  const times = (await executions(house)).filter((id) => id === payment.chainPaymentId)
  expect(times).toHaveLength(1)
  expect(evidence.matches).toBe(true)
  const amount = BigInt(paid.revision.amountBaseUnits)
  expect(await tokenBalance(house, house.recipient)).toBe(before + amount)
}

/** Approves while the token is paused: the vault would revert, so nothing is signed. */
async function blockedByToken(): Promise<ReadExpense> {
  const expense = await awaitingApproval(house)
  await pauseToken(house, true)
  expect((await approve(house, expense)).status).toBe(202)
  const blocked = await untilState(house, expense.id, 'blocked')
  expect(blocked.blockCode).toBe('token_refused')
  const { payment, attempts } = await readPayment(house, expense.paymentId)
  expect([payment.state, payment.blockCode, attempts]).toEqual(['blocked', 'token_refused', []])
  return blocked
}

describe('a payment that the token refuses', () => {
  test('holds no money, and released again it is paid once', async () => {
    const allowance = async () => (await overviewOf(treasury, house)).remainingAllowanceBaseUnits
    const [before, left] = [await tokenBalance(house, house.recipient), await allowance()]
    const expense = await blockedByToken()
    expect(await allowance()).toBe(left)
    // Still refused: blocked again, with no other effect.
    expect((await release(house, expense)).body.state).toBe('queued')
    await untilState(house, expense.id, 'blocked')
    await pauseToken(house, false)
    const again = await release(house, expense)
    expect([again.status, again.body.state]).toEqual([202, 'queued'])
    await expectPaidOnce(expense, before)
  })

  test('may be signed anew instead, after another review, and is paid once', async () => {
    const before = await tokenBalance(house, house.recipient)
    const expense = await blockedByToken()
    await pauseToken(house, false)
    const body = { expectedVersion: 1, action: 'advance_to_approval', reason: 'Sign it again' }
    const advanced = await step(house, `expenses/${expense.id}/review`, body, house.manager)
    expect(advanced.status).toBe(200)
    expect(outcome(await release(house, expense))).toBe('409 state_conflict')
    expect((await approve(house, expense)).status).toBe(202)
    await expectPaidOnce(expense, before)
  })

  test('may be revised, and the new revision is paid once under the same id', async () => {
    const before = await tokenBalance(house, house.recipient)
    const expense = await blockedByToken()
    await pauseToken(house, false)
    const terms = {
      vaultId: house.vault.id,
      recipientId: house.recipientId,
      purpose: 'The same invoice of the printers without the express delivery',
      amountBaseUnits: '640000',
      requestedMode: 'approved',
    }
    const revision = { ...terms, expectedVersion: 1, reason: 'Express delivery was not ordered' }
    const path = `expenses/${expense.id}`
    expect((await step(house, `${path}/revisions`, revision, house.employee)).status).toBe(201)
    expect(outcome(await release(house, { ...expense, currentRevision: 2 }))).toBe(
      '409 state_conflict',
    )
    await step(house, `${path}/submit`, { expectedVersion: 2 }, house.employee)
    await untilState(house, expense.id, 'needs_review')
    const advance = { expectedVersion: 2, action: 'advance_to_approval', reason: 'As agreed' }
    await step(house, `${path}/review`, advance, house.manager)
    const revised = await readExpense(house, expense.id)
    const { body } = await approve(house, revised)
    expect(body).toMatchObject({
      id: expense.paymentId,
      expenseRevision: 2,
      amountBaseUnits: '640000',
    })
    await expectPaidOnce(revised, before)
  })
})

describe('a payment under a policy that was stopped', () => {
  test('is blocked; the next policy wants a new signature, and then it is paid once', async () => {
    const before = await tokenBalance(house, house.recipient)
    const expense = await awaitingApproval(house)
    const brake = { abi: vaultAbi, functionName: 'emergencyPause', args: [] }
    const call = { address: house.vault.address, ...brake }
    // The token is paused, and the follower may see the brake before or after the signature.
    await pauseToken(house, true)
    await approve(house, expense)
    await untilState(house, expense.id, 'blocked')
    await treasury.chain.mined(await house.ownerWallet.call(call))
    await pauseToken(house, false)
    await expect.poll(async () => (await overviewOf(treasury, house)).policy.paused).toBe(true)
    expect(outcome(await release(house, expense))).toBe('409 policy_violation')
    await renewPolicy(house)
    await untilState(house, expense.id, 'awaiting_approval')
    expect(outcome(await release(house, expense))).toBe('409 state_conflict')
    expect((await approve(house, expense)).status).toBe(202)
    await expectPaidOnce(expense, before)
  })
})
