/** An approval is checked at its signature and at every release. */
import type { Hex } from 'viem'
import { beforeAll, describe, expect, test } from 'vitest'
import { applyInvalidation } from '#approvals/end-approval.ts'
import { manualHouse } from '#test/http/manual-house.ts'
import { asOwner, writeStates } from '#test/support/lane-rows.ts'
import { approvalInRows } from '#test/support/past-the-service.ts'
import {
  awaitingApproval,
  giveApproverRole,
  joinApprover,
  openPayingHouse,
  type PayingHouse,
  prepareAndSign,
  readExpense,
  readPayment,
  release,
  renewPolicy,
  step,
  submitSignature,
} from '#test/support/payments.ts'
import { membershipOf, outcome } from '#test/support/steps.ts'
import { deployVault, randomHash, type Treasury, type VaultRecord } from '#test/support/treasury.ts'

let treasury: Treasury
let house: PayingHouse
let second: VaultRecord
/** The owner's newest approver wallet is chosen to sign: here, her treasury wallet. */
let newestRoleId: string

beforeAll(async () => {
  treasury = (await manualHouse()).treasury
  house = await openPayingHouse(treasury)
  second = await deployVault(treasury, house, 'Second')
  newestRoleId = await giveApproverRole(house, house.owner, house.ownerWallet.address)
  await renewPolicy(house)
})

const byNewest = () => ({ person: house.owner, wallet: house.ownerWallet })

async function signed() {
  const expense = await awaitingApproval(house)
  const { approvalId, digest, signature, prepared } = await prepareAndSign(
    house,
    expense,
    byNewest(),
  )
  expect(prepared.approverAddress).toBe(house.ownerWallet.address)
  return { expense, approvalId, digest: digest as Hex, signature }
}

async function reserved() {
  const one = await signed()
  const { expense, ...signature } = one
  expect((await submitSignature(house, expense, signature)).body.state).toBe('reserved')
  return one
}

const invalidate = (digest: Hex, vaultId: string) =>
  applyInvalidation(treasury.service.ctx, {
    organizationId: house.id,
    vaultId,
    digest,
    invalidator: house.ownerWallet.address.toLowerCase(),
    transactionHash: randomHash(),
  })

test('an approval invalidated at another vault stays valid at its own', async () => {
  const { approvalId, digest, expense } = await reserved()
  await invalidate(digest, second.id)
  expect((await approvalInRows(house, approvalId)).state).toBe('signed')
  expect((await readPayment(house, expense.paymentId)).payment.state).toBe('reserved')
  await invalidate(digest, house.vault.id)
  expect((await approvalInRows(house, approvalId)).state).toBe('invalidated')
  expect((await readPayment(house, expense.paymentId)).payment.state).toBe('blocked')
})

test('a wallet whose role is gone signs nothing, even when its owner has another', async () => {
  const { expense, ...signature } = await signed()
  // Revoked in the row only, so that the preparation stays open.
  const write = (state: string) =>
    asOwner(house, 'update wallet_roles set state = $2 where id = $1', [newestRoleId, state])
  await write('revoked')
  const refused = await submitSignature(house, expense, signature)
  expect(outcome(refused)).toBe('403 approver_wallet_required')
  expect((await approvalInRows(house, signature.approvalId)).state).toBe('prepared')
  expect((await readExpense(house, expense.id)).state).toBe('awaiting_approval')
  await write('active')
  expect((await submitSignature(house, expense, signature)).status).toBe(202)
})

test('a member who is revoked after preparing signs nothing', async () => {
  const approver = await joinApprover(house)
  await renewPolicy(house)
  const expense = await awaitingApproval(house)
  const prepared = await prepareAndSign(house, expense, approver)
  const { membershipId } = await membershipOf(treasury.service, house, approver.person)
  expect((await step(house, `members/${membershipId}/revoke`, undefined)).status).toBe(200)
  const refused = await submitSignature(house, expense, prepared, approver.person)
  expect(outcome(refused)).toBe('403 forbidden')
  expect((await readExpense(house, expense.id)).state).toBe('awaiting_approval')
  expect((await readPayment(house, expense.paymentId)).payment).toBeUndefined()
})

describe('while its payment is in flight', () => {
  async function inFlight() {
    const one = await reserved()
    const { expense } = one
    await writeStates(house, expense, { payment: 'broadcast', expense: 'executing', isOpen: true })
    return one
  }
  const fail = (one: Awaited<ReturnType<typeof inFlight>>) =>
    writeStates(house, one.expense, {
      payment: 'failed',
      expense: 'blocked',
      code: 'transaction_reverted',
    })
  async function expectSignatureWanted({ expense }: Awaited<ReturnType<typeof inFlight>>) {
    const again = await release(house, expense)
    expect(outcome(again)).toBe('409 state_conflict')
    expect(again.body.error.message).toMatch(/^An approval is no longer valid\./)
    const { payment, attempts } = await readPayment(house, expense.paymentId)
    expect([payment.state, attempts]).toEqual(['failed', []])
    expect((await readExpense(house, expense.id)).state).toBe('blocked')
  }

  test('it is taken back on the chain: the failed payment is not released again', async () => {
    const one = await inFlight()
    await invalidate(one.digest, house.vault.id)
    expect((await readPayment(house, one.expense.paymentId)).payment.state).toBe('broadcast')
    await fail(one)
    await expectSignatureWanted(one)
  })

  test("the approver's role is revoked: the failed payment is not released again", async () => {
    const one = await inFlight()
    const revoked = await step(house, `wallet-roles/${newestRoleId}/revoke`, undefined)
    expect(revoked.status).toBe(200)
    // Only the chain can tell whether the approval was valid.
    expect((await approvalInRows(house, one.approvalId)).state).toBe('signed')
    await fail(one)
    await expectSignatureWanted(one)
  })
})
