/** Withdrawing an approval: cancel-signing before it is signed, invalidate on the chain. */
import { vaultAbi } from '@countersign/proof/vault-artifact.ts'
import { encodeFunctionData } from 'viem'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { invalidateApproval } from '#approvals/withdraw-approval.ts'
import { closeManualHouse, manualHouse } from '#test/http/manual-house.ts'
import type { Person } from '#test/support/app.ts'
import { hold, type TestWallet } from '#test/support/chain.ts'
import {
  approvalInRows,
  executions,
  giveGas,
  invalidateOnChain,
} from '#test/support/past-the-service.ts'
import {
  approve,
  awaitingApproval,
  joinApprover,
  type PayingHouse,
  prepareAndSign,
  type ReadExpense,
  readExpense,
  readPayment,
  release,
  renewPolicy,
  step,
  submitSignature,
  untilState,
} from '#test/support/payments.ts'
import { membershipOf, outcome } from '#test/support/steps.ts'
import { randomHash, type Treasury } from '#test/support/treasury.ts'
// With the same organization. The first lists all its payments.
import '#test/http/payments.ts'
import '#test/http/payments-already-paid.ts'
import '#test/http/payments-reconcile.ts'
import '#test/http/payments-held.ts'
import '#test/http/payments-other-vault.ts'
import '#test/http/payment-requests.ts'

let treasury: Treasury
let house: PayingHouse
let second: { person: Person; wallet: TestWallet }

beforeAll(async () => {
  house = await manualHouse()
  treasury = house.treasury
  second = await joinApprover(house)
  await renewPolicy(house)
  await giveGas(house, house.approverWallet.address)
})
afterAll(closeManualHouse)

describe('POST approvals/cancel-signing', () => {
  const cancel = (
    { id, currentRevision }: Pick<ReadExpense, 'id' | 'currentRevision'>,
    approvalId: string,
    person?: Person,
  ) =>
    step(
      house,
      `expenses/${id}/approvals/cancel-signing`,
      { expectedVersion: currentRevision, approvalId },
      person,
    )

  test('makes the preparation unsignable, is repeatable and allows a new one', async () => {
    const expense = await awaitingApproval(house)
    const signed = await prepareAndSign(house, expense)
    const { approvalId } = signed
    const answer = { approvalId, state: 'prepared', cancelled: true }
    for (const _time of ['once', 'twice']) {
      const { status, body } = await cancel(expense, approvalId)
      expect([status, body]).toEqual([200, answer])
    }
    expect(await approvalInRows(house, approvalId)).toMatchObject({
      state: 'prepared',
      cancelled: true,
    })
    expect(outcome(await submitSignature(house, expense, signed))).toBe('409 state_conflict')
    expect((await readExpense(house, expense.id)).state).toBe('awaiting_approval')
    expect((await approve(house, expense)).status).toBe(202)
  })

  test('is refused for a stale version, another approver or an unknown approval', async () => {
    const expense = await awaitingApproval(house)
    const { approvalId } = await prepareAndSign(house, expense)
    const other = await awaitingApproval(house)
    const nobodys = '00000000-0000-7000-8000-000000000000'
    const stale = { ...expense, currentRevision: 2 }
    expect(outcome(await cancel(stale, approvalId))).toBe('409 version_conflict')
    expect(outcome(await cancel(expense, approvalId, second.person))).toBe('403 forbidden')
    expect(outcome(await cancel(other, approvalId))).toBe('403 forbidden')
    expect(outcome(await cancel(expense, nobodys))).toBe('403 forbidden')
    expect(outcome(await cancel(expense, approvalId, house.manager))).toBe(
      '403 approver_wallet_required',
    )
    expect((await approvalInRows(house, approvalId)).cancelled).toBe(false)
  })

  test('is refused for a signed or superseded approval', async () => {
    const expense = await awaitingApproval(house)
    const first = await prepareAndSign(house, expense)
    const signed = await prepareAndSign(house, expense)
    expect(outcome(await cancel(expense, first.approvalId))).toBe('409 state_conflict')
    expect((await submitSignature(house, expense, signed)).status).toBe(202)
    expect(outcome(await cancel(expense, signed.approvalId))).toBe('409 state_conflict')
    expect(await approvalInRows(house, signed.approvalId)).toMatchObject({
      state: 'signed',
      cancelled: false,
    })
  })
})

const invalidate = (approvalId: string, transactionHash: string, person?: Person) =>
  step(house, `approvals/${approvalId}/invalidate`, { transactionHash }, person)

/** Signs and reserves; nothing is sent until somebody releases it. */
async function reserved() {
  const expense = await awaitingApproval(house)
  const signed = await prepareAndSign(house, expense)
  const { body } = await submitSignature(house, expense, signed)
  expect(body.state).toBe('reserved')
  return { expense, ...signed }
}

type Reserved = Awaited<ReturnType<typeof reserved>>

/** Expects that the expense awaits approval again and the signed payment is never sent. */
async function expectVoid({ expense, approvalId, ...signed }: Reserved): Promise<void> {
  expect(await approvalInRows(house, approvalId)).toMatchObject({ state: 'invalidated' })
  expect((await readExpense(house, expense.id)).state).toBe('awaiting_approval')
  const { payment, attempts } = await readPayment(house, expense.paymentId)
  expect(payment).toMatchObject({ state: 'blocked', blockCode: 'approval_invalidated' })
  expect(attempts).toEqual([])
  expect(outcome(await release(house, expense))).toBe('409 state_conflict')
  const again = await submitSignature(house, expense, { approvalId, ...signed })
  expect([again.status, again.body.state]).toEqual([202, 'blocked'])
  expect(await executions(house)).not.toContain(payment.chainPaymentId)
}

async function expectStill({ expense, approvalId }: Reserved): Promise<void> {
  expect((await approvalInRows(house, approvalId)).state).toBe('signed')
  const { payment } = await readPayment(house, expense.paymentId)
  expect(payment.state).toBe('reserved')
}

describe('POST approvals/{approvalId}/invalidate', () => {
  test.each([
    ["the approver's", () => house.approverWallet],
    ["the owner's", () => house.ownerWallet],
  ])(
    'voids the approval by %s transaction, and a new signature pays once',
    async (_name, walletOf) => {
      const signed = await reserved()
      const { approvalId, digest, expense } = signed
      const transactionHash = await invalidateOnChain(house, walletOf(), digest)
      await treasury.chain.mined(transactionHash)
      for (const _time of ['once', 'twice']) {
        const { status, body } = await invalidate(approvalId, transactionHash)
        expect([status, body]).toEqual([200, { approvalId, state: 'invalidated', transactionHash }])
      }
      expect(outcome(await invalidate(approvalId, randomHash()))).toBe('409 state_conflict')
      await expectVoid(signed)
      expect((await approve(house, expense)).body.state).toBe('reserved')
      expect((await release(house, expense)).status).toBe(202)
      await untilState(house, expense.id, 'paid')
      const { payment } = await readPayment(house, expense.paymentId)
      const paid = (await executions(house)).filter((id) => id === payment.chainPaymentId)
      expect(paid).toHaveLength(1)
    },
  )

  test('is also detected by the follower alone', async () => {
    const signed = await reserved()
    await invalidateOnChain(house, house.approverWallet, signed.digest)
    await untilState(house, signed.expense.id, 'awaiting_approval')
    await expectVoid(signed)
  })

  test('voids an approval that is prepared but not signed', async () => {
    const expense = await awaitingApproval(house)
    const signed = await prepareAndSign(house, expense)
    const hash = await invalidateOnChain(house, house.approverWallet, signed.digest)
    await vi.waitFor(async () => {
      expect((await approvalInRows(house, signed.approvalId)).state).toBe('invalidated')
    }, 20_000)
    expect((await invalidate(signed.approvalId, hash)).status).toBe(200)
    expect(outcome(await submitSignature(house, expense, signed))).toBe('409 state_conflict')
    expect((await readExpense(house, expense.id)).state).toBe('awaiting_approval')
  })

  test.each([
    [
      'a transaction of a third party',
      async ({ digest }: Reserved) => invalidateOnChain(house, second.wallet, digest),
      '409 transaction_mismatch',
    ],
    [
      'a transaction for another digest',
      async () => invalidateOnChain(house, house.approverWallet, randomHash()),
      '409 transaction_mismatch',
    ],
    [
      'a transaction that calls something else',
      async () =>
        house.ownerWallet.send({ to: house.recipient, data: '0x', gas: '0x5208' }, { wei: 1n }),
      '409 transaction_mismatch',
    ],
    [
      'a transaction that was reverted',
      async ({ digest }: Reserved) => {
        const call = { abi: vaultAbi, functionName: 'invalidateApproval', args: [digest] } as const
        const data = encodeFunctionData(call as never)
        // Enough gas to start, too little for the storage write.
        const hash = await house.ownerWallet.send({ to: house.vault.address, data, gas: '0x5b00' })
        expect(await treasury.chain.mined(hash)).toBe('reverted')
        return hash
      },
      '409 transaction_failed',
    ],
    ['an unknown transaction', async () => randomHash(), '409 state_conflict'],
    ['a malformed hash', async () => '0x1', '400 validation_failed'],
  ])('refuses %s and changes nothing', async (_name, send, expected) => {
    const signed = await reserved()
    const hash = await send(signed)
    if (expected.startsWith('409 transaction')) await treasury.chain.mined(hash as `0x${string}`)
    expect(outcome(await invalidate(signed.approvalId, hash))).toBe(expected)
    await expectStill(signed)
  })

  test('refuses a transaction before it is mined and accepts it afterwards', async () => {
    const signed = await reserved()
    const call = { abi: vaultAbi, functionName: 'invalidateApproval', args: [signed.digest] }
    const data = encodeFunctionData(call as never)
    const sending = { to: house.vault.address, data, gas: '0x30d40' }
    const held = await hold(treasury.chain, house.approverWallet, sending)
    expect(outcome(await invalidate(signed.approvalId, held.hash))).toBe('409 state_conflict')
    await expectStill(signed)
    await held.broadcast()
    await treasury.chain.mined(held.hash)
    expect((await invalidate(signed.approvalId, held.hash)).status).toBe(200)
  })

  test('refuses a transaction that lacks confirmations', async () => {
    const signed = await reserved()
    const { ctx } = treasury.service
    const chain = { ...ctx.chain, confirmations: 1000 }
    const hash = await invalidateOnChain(house, second.wallet, randomHash())
    await treasury.chain.mined(hash)
    const { accountId } = house.owner
    const membershipId = (await membershipOf(treasury.service, house, house.owner)).membershipId
    const actor = { organizationId: house.id, accountId, membershipId, role: 'owner' as const }
    const asked = { approvalId: signed.approvalId, transactionHash: hash }
    const refused = invalidateApproval(
      { ...ctx, chain },
      { actor: { ...actor, requestId: 'r' }, ...asked },
    )
    await expect(refused).rejects.toMatchObject({ code: 'state_conflict' })
    await expectStill(signed)
  })

  test('refuses callers other than the owner and the approver, whatever the hash', async () => {
    const { approvalId } = await reserved()
    for (const person of [house.manager, house.employee, second.person]) {
      expect(outcome(await invalidate(approvalId, randomHash(), person))).toBe('403 forbidden')
    }
    const nobodys = '00000000-0000-7000-8000-000000000000'
    expect(outcome(await invalidate(nobodys, randomHash()))).toBe('403 forbidden')
  })

  test('accepts the approver, who need not be the owner', async () => {
    const expense = await awaitingApproval(house)
    const signed = await prepareAndSign(house, expense, second)
    await submitSignature(house, expense, signed, second.person)
    const hash = await invalidateOnChain(house, second.wallet, signed.digest)
    await treasury.chain.mined(hash)
    expect((await invalidate(signed.approvalId, hash, second.person)).status).toBe(200)
  })
})
