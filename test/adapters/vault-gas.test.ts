import { vaultAbi } from '@countersign/proof/vault-artifact.ts'
import { type Address, type Hex, hexToBigInt, numberToHex, pad } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { PreparedTransaction } from '#ports/chain.ts'
import { startTestChain, type TestChain } from '#test/support/chain.ts'
import { openPayer, type Payer } from './payer.ts'

let real: TestChain
let payer: Payer

beforeAll(async () => {
  real = await startTestChain()
  payer = await openPayer(real)
})
afterAll(() => real.stop())

const addresses = (count: number, from: number): string[] =>
  Array.from({ length: count }, (_, n) => pad(numberToHex(from + n), { size: 20 }))

/** Amounts above 10, 20, 30 and 40 need 2, 4, 6 and 8 approvers. */
const fourTiers = [1n, 2n, 3n, 4n].map((n) => ({ above: n * 10n, approvals: Number(n) * 2 }))
const allTerms = {
  periodSeconds: 86_400,
  periodCap: 5_000n,
  automaticPeriodCap: 1_000n,
  automaticCap: 10n,
  tiers: fourTiers,
}

const gasOf = async (hash: Hex) => {
  const { status, gasUsed, contractAddress } = await real.client.waitForTransactionReceipt({ hash })
  expect(status).toBe('success')
  return { gasUsed, contractAddress }
}

/** Sent with the gas that the service prepared; a tenth or more is left. */
async function sendAsPrepared(transaction: PreparedTransaction) {
  const hash = await payer.bench.owner.send(transaction)
  const { gasUsed, contractAddress } = await gasOf(hash)
  expect(gasUsed * 10n).toBeLessThan(hexToBigInt(transaction.gas as Hex) * 9n)
  return contractAddress as Address
}

test('prepared gas is enough for the longest lists and every term', async () => {
  const { chain, owner } = payer.bench
  const ownerAddress = owner.address
  const { transaction } = chain.deployment({
    ownerAddress,
    organizationHash: `0x${'11'.repeat(32)}`,
    changeDelaySeconds: 3_600,
  })
  const vaultAddress = await sendAsPrepared(transaction)
  const policy = payer.policyOf({ ...allTerms, approverAddresses: addresses(32, 1_000) })
  const add = addresses(500, 2_000)
  const recipients = { expectedRecipientsVersion: 0, add, remove: [] }
  const call = { vaultAddress, ownerAddress }
  await sendAsPrepared(
    chain.policyConfiguration({ ...call, expectedVersion: 0, policy, recipients }),
  )
  const change = { expectedRecipientsVersion: 1, add: addresses(250, 3_000) }
  await sendAsPrepared(chain.recipientsChange({ ...call, ...change, remove: add.slice(0, 250) }))
  const one = { expectedRecipientsVersion: 2, add: addresses(1, 4_000), remove: [] }
  await sendAsPrepared(chain.recipientsChange({ ...call, ...one }))

  const next = { ...policy, approverAddresses: addresses(32, 5_000) }
  const proposal = { ...call, expectedVersion: 1, policy: next, recipients: null }
  await sendAsPrepared(chain.policyConfiguration(proposal))
  const { timestamp } = await real.client.getBlock()
  await real.request('evm_mine', Number(timestamp) + 3_600)
  const { data, gasLimit } = chain.policyActivation({ ...call, expectedVersion: 1, policy: next })
  const gas = numberToHex(gasLimit)
  const activation = { chainId: 31_337, from: ownerAddress, to: vaultAddress, data, gas }
  await sendAsPrepared({ ...activation, value: '0x0' })
  const version = { address: vaultAddress, abi: vaultAbi, functionName: 'policyVersion' } as const
  expect(await real.client.readContract(version)).toBe(2n)
})

test('a payment with any number of signatures uses at most two thirds of its gas', async () => {
  const signers = await Promise.all(Array.from({ length: 8 }, () => real.wallet({ wei: 0n })))
  const approverAddresses = signers.map(({ address }) => address.toLowerCase())
  await payer.configure({ ...allTerms, approverAddresses })
  const cases: [amount: bigint, signatures: number][] = [
    [10n, 1],
    [11n, 2],
    [31n, 6],
    [41n, 8],
  ]
  for (const [amount, signatures] of cases) {
    const order = await payer.signedOrder({ amount }, signers.slice(0, signatures))
    const { transactionHash } = await payer.pay(order)
    const { gasUsed } = await gasOf(transactionHash as Hex)
    expect(gasUsed * 3n).toBeLessThan(payer.bench.chain.paymentCall(order).gasLimit * 2n)
  }
})
