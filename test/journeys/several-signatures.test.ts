/** Payments that two approvers sign, through a real vault to the transfer and its evidence. */
import { vaultAbi } from '@countersign/proof/vault-artifact.ts'
import { verifyEvidence } from '@countersign/proof/verify-evidence.ts'
import { parse } from 'csv-parse/sync'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { invalidateOnChain } from '#test/support/past-the-service.ts'
import {
  approve,
  awaitingApproval,
  joinApprover,
  openPayingHouse,
  type PayingHouse,
  prepareAndSign,
  type ReadExpense,
  readExpense,
  readPayment,
  release,
  renewPolicy,
  submitSignature,
  tokenBalance,
  untilState,
} from '#test/support/payments.ts'
import { liftOwnersRowSecurity, outcome } from '#test/support/steps.ts'
import { startTreasury, type Treasury } from '#test/support/treasury.ts'

type Approver = Awaited<ReturnType<typeof joinApprover>>

const tiers = [{ above: '20000000', approvals: 2 }]
const AMOUNT = 20_000_001n

let treasury: Treasury
let house: PayingHouse
let second: Approver
let third: Approver

beforeAll(async () => {
  treasury = await startTreasury()
  await liftOwnersRowSecurity(treasury.service.database)
  const caps = { lifetimeCap: '900000000' }
  house = await openPayingHouse(treasury, { deposited: 600_000_000n, policy: caps })
  second = await joinApprover(house)
  third = await joinApprover(house)
  await renewPolicy(house, { ...caps, tiers })
})
afterAll(() => treasury.stop())

let counter = 0n
const large = () => {
  counter += 1n
  return awaitingApproval(house, { amountBaseUnits: String(AMOUNT + counter) })
}

const untilPayment = (expense: ReadExpense, state: string) =>
  expect
    .poll(async () => (await readPayment(house, expense.paymentId)).payment.state, {
      timeout: 30_000,
    })
    .toBe(state)

/** A call of the vault's owner, in its own transaction. */
const ownerCalls = async (functionName: string, args: readonly unknown[]) => {
  const call = { address: house.vault.address, abi: vaultAbi, functionName, args }
  expect(await treasury.chain.mined(await house.ownerWallet.call(call as never))).toBe('success')
}

describe('a payment above the tier', () => {
  let expense: ReadExpense
  let balance: bigint

  beforeAll(async () => {
    balance = await tokenBalance(house, house.recipient)
    expense = await large()
  })

  test('waits after the first signature', async () => {
    const { status, body } = await approve(house, expense)
    expect([status, body.state]).toEqual([202, 'reserved'])
    expect(outcome(await release(house, expense))).toBe('409 state_conflict')
    expect((await readExpense(house, expense.id)).state).toBe('awaiting_approval')
  })

  test('is queued by the second and paid once', async () => {
    const { status, body } = await approve(house, expense, second)
    expect([status, body.state]).toEqual([202, 'queued'])
    const paid = await untilState(house, expense.id, 'paid')
    const amount = BigInt(paid.revision.amountBaseUnits)
    expect(await tokenBalance(house, house.recipient)).toBe(balance + amount)
  })

  test('names both approvers in the log, ascending', async () => {
    const { evidence, approvals } = await readPayment(house, expense.paymentId)
    const wallets = [house.approverWallet.address, second.wallet.address]
    const ascending = wallets.toSorted((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1))
    expect(evidence.event.approverAddresses).toEqual(ascending)
    expect(approvals.map((one: { approverAddress: string }) => one.approverAddress)).toEqual(
      ascending,
    )
  })

  test('has evidence that holds without the service and names the list', async () => {
    const { evidence } = await readPayment(house, expense.paymentId)
    expect(evidence).toMatchObject({ version: 2, matches: true })
    expect(evidence.approvals).toHaveLength(2)
    expect(evidence.policy.tiers).toEqual(tiers)
    expect(evidence.recipient).toMatchObject({ recipientsVersion: 1 })
    expect((await verifyEvidence(evidence)).filter(({ holds }) => !holds)).toEqual([])
  })

  test('consumes both approvals', async () => {
    const rows = await treasury.service.database.asOwner<{ state: string }>(
      'select state from approvals where expense_id = $1',
      [expense.id],
    )
    expect(rows.map(({ state }) => state)).toEqual(['consumed', 'consumed'])
  })

  test('names both approvers in the export, in the same order in both columns', async () => {
    const { service } = treasury
    const { payload } = await service.app.inject({
      method: 'GET',
      url: `${house.path}/exports/payments.csv`,
      headers: { authorization: `Bearer ${house.owner.token}` },
    })
    const rows = parse(payload, { columns: true }) as Record<string, string>[]
    const row = rows.find((one) => one.payment_id === expense.paymentId)
    const { approvals } = await readPayment(house, expense.paymentId)
    type Listed = { accountId: string; displayName: string | null }
    const ids = approvals.map(({ accountId }: Listed) => accountId)
    const names = approvals.map(({ displayName }: Listed) => displayName ?? '')
    expect(row).toMatchObject({
      approver_account_id: ids.join('; '),
      approver: names.join('; '),
    })
  })
})

test('a payment of exactly the tier needs one signature', async () => {
  const expense = await awaitingApproval(house, { amountBaseUnits: '20000000' })
  expect((await approve(house, expense)).body.state).toBe('queued')
  await untilState(house, expense.id, 'paid')
})

test('an invalidation on chain ends the reservation, and others can sign', async () => {
  const expense = await large()
  const signed = await prepareAndSign(house, expense)
  expect((await submitSignature(house, expense, signed)).status).toBe(202)
  await treasury.chain.mined(await invalidateOnChain(house, house.ownerWallet, signed.digest))
  await untilPayment(expense, 'blocked')
  const { payment } = await readPayment(house, expense.paymentId)
  expect(payment.blockCode).toBe('approval_invalidated')
  expect((await readExpense(house, expense.id)).state).toBe('awaiting_approval')
  expect((await approve(house, expense, second)).body.signedApprovals).toBe(1)
  expect((await approve(house, expense, third)).body.signedApprovals).toBe(2)
  await untilState(house, expense.id, 'paid')
})

test('after the removal of the recipient on chain, nobody can complete the payment', async () => {
  const expense = await large()
  expect((await approve(house, expense)).status).toBe(202)
  await ownerCalls('changeRecipients', [1n, [], [house.recipient]])
  await untilPayment(expense, 'blocked')
  const { payment } = await readPayment(house, expense.paymentId)
  expect(payment.blockCode).toBe('approval_superseded')
  await ownerCalls('changeRecipients', [2n, [house.recipient], []])
  await expect
    .poll(async () => (await approve(house, expense, second)).status, { timeout: 20_000 })
    .toBe(202)
  // The signature from before the removal does not count.
  expect((await readPayment(house, expense.paymentId)).payment.signedApprovals).toBe(1)
  expect((await approve(house, expense, third)).body.signedApprovals).toBe(2)
  await untilState(house, expense.id, 'paid')
})

test('a revoked approver no longer counts, under the same policy', async () => {
  const expense = await large()
  expect((await approve(house, expense, third)).status).toBe(202)
  await ownerCalls('revokeApprover', [third.wallet.address])
  await untilPayment(expense, 'blocked')
  const { payment } = await readPayment(house, expense.paymentId)
  expect(payment.blockCode).toBe('approver_not_allowed')
  expect((await approve(house, expense)).body.signedApprovals).toBe(1)
  expect((await approve(house, expense, second)).body.signedApprovals).toBe(2)
  await untilState(house, expense.id, 'paid')
})
