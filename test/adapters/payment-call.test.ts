import { randomBytes, randomUUID } from 'node:crypto'
import { uuidToBytes32 } from '@countersign/proof/digest.ts'
import { vaultAbi } from '@countersign/proof/vault-artifact.ts'
import {
  type Address,
  decodeAbiParameters,
  decodeFunctionData,
  type Hex,
  keccak256,
  parseTransaction,
} from 'viem'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { seal } from '#adapters/local/keystore.ts'
import { createLocalExecutor } from '#adapters/local/local-executor.ts'
import type { PaymentOrder } from '#ports/chain.ts'
import { startTestChain, type TestChain, tokenAbi } from '#test/support/chain.ts'
import { approvalsAbi, CHAIN_ID, FEES, openPayer, type Payer } from './payer.ts'

let real: TestChain
let payer: Payer

beforeAll(async () => {
  real = await startTestChain()
  payer = await openPayer(real)
  await payer.configure()
})
afterAll(() => real.stop())

const callOf = (order: PaymentOrder) => payer.bench.chain.paymentCall(order)
const decoded = (order: PaymentOrder) => {
  const { functionName, args } = decodeFunctionData({
    abi: vaultAbi,
    data: callOf(order).data as Hex,
  })
  const lowered = args?.map((arg) => (typeof arg === 'string' ? arg.toLowerCase() : arg))
  return { functionName, args: lowered }
}
const approvalsIn = (args: readonly unknown[] | undefined) =>
  decodeAbiParameters(approvalsAbi, args?.at(-1) as Hex)[0]
const fieldsOf = (order: PaymentOrder) => [
  order.chainPaymentId,
  order.recipientAddress,
  order.amount,
  BigInt(order.policyVersion),
  order.reportHash,
  order.expenseVersionHash,
  BigInt(order.deadlineSeconds),
]

describe('the payment call', () => {
  test('for an automatic payment has exactly the fields of the order', async () => {
    const order = await payer.order()
    expect(decoded(order)).toEqual({ functionName: 'executeAutomatic', args: fieldsOf(order) })
    expect(callOf(order)).toMatchObject({ vaultAddress: payer.vault, gasLimit: 450_000n })
  })

  test('for an approved payment ends with the approvals, encoded as one argument', async () => {
    const order = await payer.signedOrder()
    const [approval] = order.approvals
    const { functionName, args } = decoded(order)
    expect(functionName).toBe('executeApproved')
    expect(args?.slice(0, -1)).toEqual(fieldsOf(order))
    expect(approvalsIn(args)).toEqual([
      {
        approvalId: uuidToBytes32(approval?.approvalId ?? ''),
        approver: payer.approver.address,
        signature: approval?.signature,
      },
    ])
  })

  test('carries every approval, ascending by approver, with gas for each', async () => {
    const signers = [payer.approver, payer.bench.approver, payer.bench.owner]
    const order = await payer.signedOrder({}, signers)
    const approvers = approvalsIn(decoded(order).args).map(({ approver }) => approver.toLowerCase())
    expect(approvers).toEqual(signers.map(({ address }) => address.toLowerCase()).sort())
    expect(callOf(order).gasLimit).toBe(450_000n + 2n * 250_000n)
  })

  test('accepts a signature of any length, as contracts may give', async () => {
    const order = await payer.signedOrder()
    for (const signature of ['0x', `0x${'ab'.repeat(321)}`]) {
      const approvals = order.approvals.map((approval) => ({ ...approval, signature }))
      const { args } = decoded({ ...order, approvals })
      expect(approvalsIn(args)).toMatchObject([{ signature }])
    }
  })

  test('differs when anything is changed', async () => {
    const order = await payer.order()
    const changes: Partial<PaymentOrder>[] = [
      { chainPaymentId: order.reportHash },
      { recipientAddress: payer.vault },
      { amount: order.amount + 1n },
      { policyVersion: order.policyVersion + 1 },
      { reportHash: order.chainPaymentId },
      { expenseVersionHash: order.chainPaymentId },
      { deadlineSeconds: order.deadlineSeconds + 1 },
    ]
    const calls = [{}, ...changes].map((change) => callOf({ ...order, ...change }).data)
    expect(new Set(calls).size).toBe(changes.length + 1)
  })

  test('is never built without the signature that a payment needs', async () => {
    const signed = await payer.signedOrder()
    const refusal = 'A payment must have approvals exactly if its mode is approved'
    expect(() => callOf({ ...signed, approvals: [] })).toThrow(refusal)
    expect(() => callOf({ ...signed, mode: 'automatic' })).toThrow(refusal)
  })

  test('is never built with approvals that the vault would not count', async () => {
    const order = await payer.signedOrder({}, [payer.approver, payer.bench.approver])
    const { approvals } = order
    const refusal = 'Approvals must ascend by approver, without repetition'
    expect(() => callOf({ ...order, approvals: approvals.toReversed() })).toThrow(refusal)
    const twice = approvals.flatMap((approval) => [approval, approval])
    expect(() => callOf({ ...order, approvals: twice })).toThrow(refusal)
  })
})

const balanceOf = (address: Address) =>
  real.client.readContract({
    address: real.tokenAddress,
    abi: tokenAbi,
    functionName: 'balanceOf',
    args: [address],
  })

describe('signed by the executor', () => {
  test.for(['order', 'signedOrder'] as const)('an %s pays exactly once', async (kind) => {
    const order = await payer[kind]({ amount: 123n })
    const { recipient } = payer.bench
    const before = [await balanceOf(recipient), await balanceOf(payer.vault)] as const
    expect((await payer.pay(order)).status).toBe('success')
    expect((await payer.pay(order)).status).toBe('reverted')
    expect(await balanceOf(recipient)).toBe(before[0] + 123n)
    expect(await balanceOf(payer.vault)).toBe(before[1] - 123n)
  })

  test('it is exactly the call: no value, the given fees, nonce and chain', async () => {
    const call = callOf(await payer.order())
    const { raw, transactionHash } = await payer.sign(call, { nonce: 7 })
    const { r: _r, s: _s, v: _v, yParity: _y, ...transaction } = parseTransaction(raw as Hex)
    expect(transaction).toEqual({
      type: 'eip1559',
      chainId: CHAIN_ID,
      nonce: 7,
      to: payer.vault,
      data: call.data,
      gas: call.gasLimit,
      ...FEES,
    })
    expect(transactionHash).toBe(keccak256(raw as Hex))
    expect(await payer.sign(call, { nonce: 7 })).toEqual({ raw, transactionHash })
  })
})

describe("an executor's key", () => {
  const masterKey = randomBytes(32)
  const executor = createLocalExecutor({ masterKey })
  const organizationId = randomUUID()
  const call = { vaultAddress: `0x${'aa'.repeat(20)}`, data: '0x12', gasLimit: 1n }
  const rest = { organizationId, chainId: CHAIN_ID, nonce: 0, fees: FEES, call }
  const provision = (organization = organizationId) =>
    executor.provision({ organizationId: organization, provisioningId: randomUUID() })

  test('signs for its own address in any spelling', async () => {
    const { address, reference } = await provision()
    const lower = await executor.sign({ ...rest, address: address.toLowerCase(), reference })
    expect(await executor.sign({ ...rest, address, reference })).toEqual(lower)
  })

  test('does not decrypt for another address, organization or master key', async () => {
    const [one, other] = [await provision(), await provision()]
    const cannot = 'unable to authenticate data'
    const asked = { ...rest, ...one }
    await expect(executor.sign({ ...asked, address: other.address })).rejects.toThrow(cannot)
    await expect(executor.sign({ ...asked, reference: other.reference })).rejects.toThrow(cannot)
    await expect(executor.sign({ ...asked, organizationId: randomUUID() })).rejects.toThrow(cannot)
    const stranger = createLocalExecutor({ masterKey: randomBytes(32) })
    await expect(stranger.sign(asked)).rejects.toThrow(cannot)
  })

  test('does not sign when it does not belong to the stored address', async () => {
    const address = privateKeyToAddress(generatePrivateKey())
    const name = `executor:${organizationId}:${address.toLowerCase()}`
    const reference = seal(masterKey, { name, secret: randomBytes(32) })
    await expect(executor.sign({ ...rest, address, reference })).rejects.toThrow(
      'The stored key belongs to another address than this executor',
    )
  })
})
