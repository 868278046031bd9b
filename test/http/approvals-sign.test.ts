/** POST expenses/{expenseId}/approvals/submit-signature, with real keys and a real vault. */
import { vaultAbi } from '@countersign/proof/vault-artifact.ts'
import { type Address, hexToBigInt, numberToHex, serializeSignature, slice } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expireApproval } from '#approvals/end-approval.ts'
import { addSeconds, type Clock, systemClock } from '#platform/clock.ts'
import { eip712Digest } from '#test/support/eip712.ts'
import { approvalInRows, executions } from '#test/support/past-the-service.ts'
import {
  awaitingApproval,
  giveApproverRole,
  joinApprover,
  openPayingHouse,
  type PayingHouse,
  prepare,
  prepareAndSign,
  type ReadExpense,
  readExpense,
  readPayment,
  renewPolicy,
  signTypedData,
  submitSignature,
  untilState,
} from '#test/support/payments.ts'
import { liftOwnersRowSecurity, outcome } from '#test/support/steps.ts'
import { startTreasury, type Treasury } from '#test/support/treasury.ts'

let aheadSeconds = 0
const clock: Clock = { now: () => addSeconds(systemClock.now(), aheadSeconds) }

let treasury: Treasury
let house: PayingHouse
let second: Awaited<ReturnType<typeof joinApprover>>

beforeAll(async () => {
  treasury = await startTreasury({ replace: () => ({ clock }) })
  await liftOwnersRowSecurity(treasury.service.database)
  house = await openPayingHouse(treasury)
  second = await joinApprover(house)
  await renewPolicy(house)
})
afterAll(() => treasury.stop())

const paymentsOf = ({ id }: ReadExpense) =>
  treasury.service.database.asOwner('select id, state from payments where expense_id = $1', [id])

/** Expects that the signature had no effect. */
async function expectUntouched(expense: ReadExpense, approvalId: string): Promise<void> {
  expect((await readExpense(house, expense.id)).state).toBe('awaiting_approval')
  expect(await paymentsOf(expense)).toEqual([])
  expect((await approvalInRows(house, approvalId)).state).toBe('prepared')
}

test('the digest equals both the EIP-712 digest and the one the vault computes', async () => {
  const expense = await awaitingApproval(house)
  const { body } = await prepare(house, expense)
  expect(body.digest).toBe(eip712Digest(body))
  const { approvalId, approver, paymentId, recipient, ...m } = body.message
  const onChain = await treasury.chain.client.readContract({
    address: house.vault.address,
    abi: vaultAbi,
    functionName: 'approvalDigest',
    args: [
      approvalId,
      approver,
      paymentId,
      recipient,
      BigInt(m.amount),
      BigInt(m.policyVersion),
      m.reportHash,
      m.expenseVersionHash,
      BigInt(m.deadline),
    ],
  })
  expect(body.digest).toBe(onChain)
})

describe('a valid signature', () => {
  test('releases one payment with the signed terms, and repeats the same answer', async () => {
    const expense = await awaitingApproval(house)
    const signed = await prepareAndSign(house, expense)
    const { status, body } = await submitSignature(house, expense, signed)
    expect(status).toBe(202)
    expect(body).toMatchObject({
      id: expense.paymentId,
      expenseId: expense.id,
      expenseRevision: 1,
      // A worker may have taken it before it was read for the answer.
      state: expect.stringMatching(/^(?:queued|submitting|broadcast)$/),
      mode: 'approved',
      approvalId: signed.approvalId,
      approvalDigest: signed.digest,
      chainPaymentId: signed.prepared.message.paymentId,
      amountBaseUnits: signed.prepared.message.amount,
      recipientAddress: house.recipient,
      reportHash: signed.prepared.message.reportHash,
      expenseVersionHash: signed.prepared.message.expenseVersionHash,
    })
    const { state, executorAddress, transactionHash } = body
    expect([executorAddress, transactionHash]).toEqual(
      state === 'queued'
        ? [null, null]
        : [house.executor, expect.stringMatching(/^0x[0-9a-f]{64}$/)],
    )
    const [again, upper] = [
      signed,
      { ...signed, signature: `0x${signed.signature.slice(2).toUpperCase()}` },
    ]
    expect((await submitSignature(house, expense, again)).status).toBe(202)
    await untilState(house, expense.id, 'paid')
    const late = await submitSignature(house, expense, upper)
    expect([late.status, late.body.state, late.body.id]).toEqual([
      202,
      'confirmed',
      expense.paymentId,
    ])
    expect((await executions(house)).filter((id) => id === body.chainPaymentId)).toHaveLength(1)
    expect((await approvalInRows(house, signed.approvalId)).state).toBe('consumed')
  })

  test('from two approvers at once creates one payment', async () => {
    const expense = await awaitingApproval(house)
    const mine = await prepareAndSign(house, expense)
    const theirs = await prepareAndSign(house, expense, second)
    const answers = await Promise.all([
      submitSignature(house, expense, mine),
      submitSignature(house, expense, theirs, second.person),
    ])
    expect(answers.map(outcome).sort()).toEqual(['202', '409 state_conflict'])
    const isMine = answers[0]?.status === 202
    const [winner, loser] = isMine ? [mine, theirs] : [theirs, mine]
    await untilState(house, expense.id, 'paid')
    expect(await paymentsOf(expense)).toHaveLength(1)
    expect((await approvalInRows(house, winner.approvalId)).state).toBe('consumed')
    expect((await approvalInRows(house, loser.approvalId)).state).toBe('superseded')
  })
})

describe('an invalid signature', () => {
  const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
  let expense: ReadExpense
  let good: Awaited<ReturnType<typeof prepareAndSign>>
  let earlier: string

  beforeAll(async () => {
    expense = await awaitingApproval(house)
    earlier = (await prepareAndSign(house, expense)).signature
    good = await prepareAndSign(house, expense)
  })

  const parts = () => {
    const { signature } = good
    const s = hexToBigInt(slice(signature, 32, 64))
    return { r: slice(signature, 0, 32), s, v: hexToBigInt(slice(signature, 64)) }
  }
  const word = (value: bigint) => numberToHex(value, { size: 32 })
  const stranger = privateKeyToAccount(generatePrivateKey())

  test.each([
    ['by another key', () => signTypedData({ account: stranger }, good.prepared)],
    [
      'with the other value of s',
      () => serializeSignature({ r: parts().r, s: word(ORDER - parts().s), v: 55n - parts().v }),
    ],
    ['with v as 0 or 1', () => `${good.signature.slice(0, -2)}0${parts().v - 27n}`],
    [
      'with the other value of v',
      () => `${good.signature.slice(0, -2)}${(55n - parts().v).toString(16)}`,
    ],
    ['of 64 bytes', () => good.signature.slice(0, -2)],
    ['of 66 bytes', () => `${good.signature}00`],
    ['of one byte', () => '0x01'],
    ['of zeros only', () => `0x${'00'.repeat(65)}`],
    ["for the caller's earlier preparation", () => earlier],
    ['of the maximum length', () => `0x${'11'.repeat(4096)}`],
  ])('%s is refused with 409 invalid_signature', async (_name, make) => {
    const answer = await submitSignature(house, expense, { ...good, signature: await make() })
    expect(outcome(answer)).toBe('409 invalid_signature')
  })

  test.each([
    ['empty', ''],
    ['of no bytes', '0x'],
    ['of an odd number of digits', '0x1'],
    ['not in hexadecimal', '0xzz'],
    ['without its prefix', '11'.repeat(65)],
    ['above the maximum length', `0x${'11'.repeat(4097)}`],
  ])('%s is 400', async (_name, signature) => {
    const answer = await submitSignature(house, expense, { ...good, signature })
    expect(outcome(answer)).toBe('400 validation_failed')
  })

  test('changes nothing: the valid signature is still accepted afterwards', async () => {
    await expectUntouched(expense, good.approvalId)
    expect((await submitSignature(house, expense, good)).status).toBe(202)
    await untilState(house, expense.id, 'paid')
  })
})

describe('an approval that the caller cannot sign', () => {
  test('is 403 when it belongs to another caller or expense, or does not exist', async () => {
    const expense = await awaitingApproval(house)
    const theirs = await prepareAndSign(house, expense, second)
    expect(outcome(await submitSignature(house, expense, theirs))).toBe('403 forbidden')
    await expectUntouched(expense, theirs.approvalId)
    const nobodys = { ...theirs, approvalId: '00000000-0000-7000-8000-000000000000' }
    expect(outcome(await submitSignature(house, expense, nobodys))).toBe('403 forbidden')
    const other = await awaitingApproval(house)
    const { person } = second
    expect(outcome(await submitSignature(house, other, theirs, person))).toBe('403 forbidden')
    const stale = { ...expense, currentRevision: 2 }
    expect(outcome(await submitSignature(house, stale, theirs, person))).toBe(
      '409 version_conflict',
    )
    await expectUntouched(expense, theirs.approvalId)
  })

  test('is refused past its deadline, before and after the cleanup', async () => {
    const expense = await awaitingApproval(house)
    const { body } = await prepare(house, expense, { deadlineSeconds: 60 })
    const signature = await signTypedData(house.approverWallet, body)
    const { approvalId } = body
    const submit = () => submitSignature(house, expense, { approvalId, signature })
    aheadSeconds = 61
    try {
      expect(outcome(await submit())).toBe('409 approval_expired')
      await expectUntouched(expense, approvalId)
    } finally {
      aheadSeconds = 0
    }
    // The cleanup uses the database's clock.
    const { ctx, database } = treasury.service
    await database.asOwner(
      `update approvals set deadline = now() - interval '1 second' where id = $1`,
      [approvalId],
    )
    await expireApproval(ctx, { organizationId: house.id, approvalId })
    expect((await approvalInRows(house, approvalId)).state).toBe('expired')
    expect(outcome(await submit())).toBe('409 approval_expired')
    expect((await readExpense(house, expense.id)).state).toBe('awaiting_approval')
  })
})

describe('an approver that is a contract', () => {
  /** ERC-1271 in 24 bytes: accepts only the digest in its first storage slot. */
  const CODE = '0x60043560005414631626ba7e0260e01b60005260206000f3'

  test('verifies by ERC-1271 before the payment is released', async () => {
    const { service, chain } = treasury
    const address = privateKeyToAccount(generatePrivateKey()).address as Address
    await chain.request('hardhat_setCode', address, CODE)
    const { owner } = house
    const wallets = [house.ownerWallet.address, house.approverWallet.address, address]
    await service.signIn(
      owner.subject,
      wallets.map((each) => ({ address: each, kind: 'external' as const })),
    )
    await giveApproverRole(house, owner, address)
    await renewPolicy(house)
    const expense = await awaitingApproval(house)
    const { body } = await prepare(house, expense)
    expect(body.approverAddress).toBe(address)
    const signed = { approvalId: body.approvalId, signature: '0x1234' }
    expect(outcome(await submitSignature(house, expense, signed))).toBe('409 invalid_signature')
    await expectUntouched(expense, body.approvalId)
    await chain.request('hardhat_setStorageAt', address, '0x0', body.digest)
    expect((await submitSignature(house, expense, signed)).status).toBe(202)
    await untilState(house, expense.id, 'paid')
    const { evidence } = await readPayment(house, expense.paymentId)
    expect(evidence).toMatchObject({ matches: true, approval: { signature: '0x1234' } })
    // The contract changes its answer afterwards; the accepted approval stays valid.
    await chain.request('hardhat_setStorageAt', address, '0x0', `0x${'00'.repeat(32)}`)
    expect((await submitSignature(house, expense, signed)).body.state).toBe('confirmed')
  })
})
