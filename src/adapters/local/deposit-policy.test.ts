import fc from 'fast-check'
import {
  type Address,
  encodeFunctionData,
  getAddress,
  type Hex,
  parseAbi,
  serializeTransaction,
  type TransactionSerializableEIP1559,
} from 'viem'
import { describe, expect, test } from 'vitest'
import { addSeconds, systemClock } from '#platform/clock.ts'
import { type DepositPolicy, depositRefusalOf } from './deposit-policy.ts'

const abi = parseAbi([
  'function deposit(uint256 amount)',
  'function withdraw(uint256 amount)',
  'function approve(address spender, uint256 amount)',
])
const VAULT = `0x${'ab'.repeat(20)}`
const now = systemClock.now()

const policy: DepositPolicy = {
  signerId: 'signer',
  policyId: 'policy',
  chainId: 31_337,
  vaultAddress: VAULT,
  maxAmount: 1_000n,
  expiresAt: addSeconds(now, 60).toISOString(),
}

const depositOf = (amount: bigint) =>
  encodeFunctionData({ abi, functionName: 'deposit', args: [amount] })

const right: TransactionSerializableEIP1559 = {
  type: 'eip1559',
  chainId: 31_337,
  nonce: 3,
  gas: 200_000n,
  maxFeePerGas: 5n,
  maxPriorityFeePerGas: 1n,
  to: VAULT as Address,
  value: 0n,
  data: depositOf(1_000n),
}

const judged = (changed: Partial<TransactionSerializableEIP1559>, at = now) =>
  depositRefusalOf(policy, serializeTransaction({ ...right, ...changed }), at)

describe('a deposit policy', () => {
  test('allows its deposit, up to the last unit and the last moment', () => {
    expect(judged({})).toBeUndefined()
    expect(judged({ data: depositOf(1n), to: getAddress(VAULT) })).toBeUndefined()
    expect(judged({}, addSeconds(now, 59))).toBeUndefined()
  })

  const withdrawal = encodeFunctionData({ abi, functionName: 'withdraw', args: [1n] })
  const approval = encodeFunctionData({
    abi,
    functionName: 'approve',
    args: [VAULT as Address, 1n],
  })

  test.each<[string, Partial<TransactionSerializableEIP1559>, string]>([
    ['another chain', { chainId: 1 }, 'chain_not_allowed'],
    ['another target', { to: `0x${'ac'.repeat(20)}` }, 'target_not_allowed'],
    ['a deployment', { to: null }, 'target_not_allowed'],
    ['native value', { value: 1n }, 'native_value_not_allowed'],
    ['one unit more', { data: depositOf(1_001n) }, 'amount_not_allowed'],
    ['the maximum uint256', { data: depositOf(2n ** 256n - 1n) }, 'amount_not_allowed'],
    ['nothing', { data: depositOf(0n) }, 'amount_not_allowed'],
    ['a withdrawal', { data: withdrawal }, 'function_not_allowed'],
    ['an approval', { data: approval }, 'function_not_allowed'],
    ['no data', { data: '0x' }, 'function_not_allowed'],
    [
      'a selector without arguments',
      { data: depositOf(1n).slice(0, 10) as Hex },
      'function_not_allowed',
    ],
    ['a truncated argument', { data: depositOf(1n).slice(0, -2) as Hex }, 'function_not_allowed'],
    ['trailing data', { data: `${depositOf(1n)}00` }, 'function_not_allowed'],
    [
      'an access list',
      { accessList: [{ address: VAULT as Address, storageKeys: [] }] },
      'transaction_unreadable',
    ],
  ])('denies %s', (_what, changed, refusal) => {
    expect(judged(changed)).toBe(refusal)
  })

  test('denies everything from its expiry on', () => {
    expect(judged({}, addSeconds(now, 60))).toBe('policy_expired')
  })

  test('denies other transaction types and malformed transactions', () => {
    const call = { chainId: 31_337, nonce: 3, gas: 200_000n, to: VAULT as Address }
    const priced = { ...call, gasPrice: 5n, data: depositOf(1n) }
    const legacy = serializeTransaction({ ...priced, type: 'legacy' })
    expect(depositRefusalOf(policy, legacy, now)).toBe('transaction_unreadable')
    const listed = serializeTransaction({ ...priced, type: 'eip2930' })
    expect(depositRefusalOf(policy, listed, now)).toBe('transaction_unreadable')
    const setCode = { ...right, type: 'eip7702', authorizationList: [] } as const
    expect(depositRefusalOf(policy, serializeTransaction(setCode), now)).toBe(
      'transaction_unreadable',
    )
    expect(depositRefusalOf(policy, '0x02c0', now)).toBe('transaction_unreadable')
    expect(depositRefusalOf(policy, '0x', now)).toBe('transaction_unreadable')
  })

  test('allows no data but its deposit', () => {
    const bytes = fc.uint8Array({ maxLength: 80 })
    const selector = fc.constantFrom('', depositOf(0n).slice(2, 10))
    fc.assert(
      fc.property(selector, bytes, (start, rest) => {
        const data = `0x${start}${Buffer.from(rest).toString('hex')}` as Hex
        if (judged({ data }) !== undefined) return
        const amount = BigInt(`0x${data.slice(10)}`)
        expect(data).toBe(depositOf(amount))
        expect(amount > 0n && amount <= 1_000n).toBe(true)
      }),
      { numRuns: 300 },
    )
  })
})
