/** Deposits and probes by the constrained key at Privy: one transaction each, or none. */
import { randomUUID } from 'node:crypto'
import { timestampToSeconds } from '@countersign/proof/values.ts'
import { vaultAbi } from '@countersign/proof/vault-artifact.ts'
import { type Address, encodeFunctionData, type Hex } from 'viem'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { encodeDeposit } from '#adapters/chain/vault-codec.ts'
import { createPrivyFunding } from '#adapters/privy/privy-funding.ts'
import type { AttachedControl, FundingRule, SendingProvider } from '#ports/funding-provider.ts'
import { openBench } from '#test/chain/bench.ts'
import { startTestChain, type TestChain, tokenAbi } from '#test/support/chain.ts'
import type { EmulatedWallet } from '#test/support/privy-books.ts'
import { type Fault, type PrivyEmulator, startPrivyEmulator } from '#test/support/privy-emulator.ts'
import {
  configuredFunding,
  EXPIRES_AT,
  furnish,
  makePolicy,
  openSignerBench,
} from '#test/support/privy-funding.ts'
import type { EmulatedPolicy } from '#test/support/privy-policies.ts'

const MAX = 1_000n

let chain: TestChain
let privy: PrivyEmulator
let provider: ReturnType<typeof createPrivyFunding>
let rule: FundingRule
let vault: Address
let wallet: EmulatedWallet
let policy: EmulatedPolicy
let control: AttachedControl

beforeAll(async () => {
  chain = await startTestChain()
  privy = await startPrivyEmulator({ rpcUrl: chain.rpcUrl })
  provider = createPrivyFunding(configuredFunding(privy))
  vault = (await (await openBench(chain)).addVault()).address as Address
  rule = { chainId: 31_337, vaultAddress: vault, maxAmount: MAX, expiresAt: EXPIRES_AT }
  ;({ wallet, control } = await openSignerBench(privy, rule))
  await furnish(chain, wallet, { vaultAddress: vault, baseUnits: 50_000n })
})
beforeEach(async () => {
  policy = await makePolicy(privy, rule)
  control = { ...control, policyId: policy.id }
  await provider.attach(control)
  privy.seen.length = 0
})
afterAll(async () => {
  await privy.stop()
  await chain.stop()
})

const sends = () => privy.seen.filter(({ operation }) => operation === 'send')

const GAS = 200_000n
const depositCall = (amount: bigint, vaultAddress: string = vault) => {
  const { data } = encodeDeposit({ ...rule, vaultAddress, from: wallet.address, amount })
  return { vaultAddress, data, gasLimit: GAS }
}
const withdrawCall = (amount: bigint, gasLimit = GAS) => ({
  vaultAddress: vault,
  data: encodeFunctionData({ abi: vaultAbi, functionName: 'withdraw', args: [amount] }),
  gasLimit,
})

type Action = Parameters<SendingProvider['send']>[0]
const action = (change: Partial<Action> = {}): Action => ({
  ...control,
  actionId: randomUUID(),
  call: depositCall(100n),
  ...change,
})

const balanceOf = (account: string): Promise<bigint> =>
  chain.client.readContract({
    ...{ address: chain.tokenAddress, abi: tokenAbi, functionName: 'balanceOf' },
    args: [account as Address],
  })

describe('a deposit', () => {
  let held: bigint

  beforeEach(async () => {
    held = await balanceOf(vault)
  })

  test('is signed by the signer, sent by Privy and mined', async () => {
    const asked = action()
    const sent = await provider.send(asked)
    if (sent.outcome !== 'sent') throw new Error(`It was ${sent.outcome}`)
    expect(await chain.mined(sent.transactionHash as Hex)).toBe('success')
    expect((await balanceOf(vault)) - held).toBe(100n)
    expect(sends().at(-1)?.body).toMatchObject({ reference_id: asked.actionId })
    const { providerReference } = sent
    const report = await provider.poll({ providerReference: String(providerReference) })
    expect(report).toEqual({ state: 'under_way', transactionHash: sent.transactionHash })
    const [noted] = privy.transactions.filter(({ id }) => id === providerReference)
    for (const status of ['finalized', 'failed', 'execution_reverted', 'replaced']) {
      Object.assign(noted ?? {}, { status })
      const later = await provider.poll({ providerReference: String(providerReference) })
      expect(later.state).toBe('ended')
    }
  })

  test.each<[string, Fault[], boolean]>([
    ['an answer lost after it took effect', ['lost after'], false],
    ['a request lost before it took effect', ['lost before'], false],
    ['a 429 and a 500', [{ status: 429 }, { status: 500 }], false],
    ['an answer without a hash', [{ instead: { data: {} } }], false],
    ["a lost answer and a day's wait", ['lost after'], true],
  ])(
    '%s leads to one transaction, however often it is requested',
    async (_what, faults, isLater) => {
      const asked = action()
      privy.fail('send', ...faults)
      for (const _fault of faults) {
        const unsure = provider.send(asked)
        await expect(unsure).rejects.toMatchObject({ code: 'dependency_unavailable' })
      }
      if (isLater) privy.forgetKeys()
      const answers = [await provider.send(asked), await provider.send(asked)]
      expect(answers[0]).toMatchObject({ outcome: 'sent' })
      expect(answers[1]).toEqual(answers[0])
      const own = privy.transactions.filter(({ reference_id: id }) => id === asked.actionId)
      expect(own).toHaveLength(1)
      expect(await chain.mined(own[0]?.transaction_hash as Hex)).toBe('success')
      expect((await balanceOf(vault)) - held).toBe(100n)
    },
  )

  test.each<[string, () => Partial<Action>]>([
    ['one unit too much', () => ({ call: depositCall(MAX + 1n) })],
    ['another vault', () => ({ call: depositCall(100n, chain.tokenAddress) })],
    ['another function', () => ({ call: withdrawCall(1n) })],
    [
      'data with trailing bytes',
      () => {
        const call = depositCall(100n)
        return { call: { ...call, data: `${call.data}00` } }
      },
    ],
    ['another chain', () => ({ rule: { ...rule, chainId: 1 } })],
  ])('is denied for %s, and nothing is signed', async (_what, change) => {
    const denied = { outcome: 'denied', code: 'policy_violation' }
    expect(await provider.send(action(change()))).toEqual(denied)
    expect(await balanceOf(vault)).toBe(held)
  })

  test('is denied when the policy has expired', async () => {
    const past = String(timestampToSeconds(EXPIRES_AT) - 3_601)
    Object.assign(policy.rules[0]?.conditions[5] ?? {}, { value: past })
    expect(await provider.send(action())).toMatchObject({ outcome: 'denied' })
  })

  test('is refused when the signer is not attached or has no gas', async () => {
    await provider.detach(control)
    expect(await provider.send(action())).toEqual({ outcome: 'refused', code: 'invalid_data' })
    wallet.additional_signers = [
      { signer_id: privy.funding.signerId, override_policy_ids: [policy.id] },
    ]
    privy.fail('send', { status: 400, body: '{"code":"insufficient_funds"}' })
    expect(await provider.send(action())).toEqual({
      outcome: 'refused',
      code: 'insufficient_funds',
    })
  })

  test('that could not be broadcast is inconclusive', async () => {
    privy.fail('send', { status: 400, body: '{"code":"transaction_broadcast_failure"}' })
    await expect(provider.send(action())).rejects.toMatchObject({ code: 'dependency_unavailable' })
  })
})

describe('a probe', () => {
  const probe = (change: Partial<Action> = {}) =>
    provider.probe(action({ call: withdrawCall(1n, 21_000n), ...change }))

  test('is denied by the policy', async () => {
    expect(await probe()).toEqual({ outcome: 'denied', code: 'policy_violation' })
  })

  test('passes where no policy limits the signer, and nothing of it is mined', async () => {
    wallet.additional_signers = [{ signer_id: privy.funding.signerId, override_policy_ids: [] }]
    const count = () => chain.client.getTransactionCount({ address: wallet.address as Address })
    const before = await count()
    expect(await probe()).toEqual({ outcome: 'passed' })
    expect(await count()).toBe(before)
  })

  test('that was sent has passed, also when the answer was lost', async () => {
    wallet.additional_signers = [{ signer_id: privy.funding.signerId, override_policy_ids: [] }]
    const asked = { actionId: randomUUID(), call: withdrawCall(1n) }
    privy.fail('send', 'lost after')
    await expect(probe(asked)).rejects.toMatchObject({ code: 'dependency_unavailable' })
    expect(await probe(asked)).toEqual({ outcome: 'passed' })
    const [sent] = privy.transactions.filter(({ reference_id: id }) => id === asked.actionId)
    expect(await chain.mined(sent?.transaction_hash as Hex)).toBe('reverted')
  })

  test.each([
    ['the wallet has no gas', 400, 'insufficient_funds'],
    ['the signature is unknown', 401, 'invalid_data'],
  ])('proves nothing when %s', async (_what, status, code) => {
    privy.fail('send', { status, body: JSON.stringify({ code }) })
    expect(await probe()).toEqual({ outcome: 'refused', code })
  })
})
