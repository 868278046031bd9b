import { decodeOwnerTransaction } from '@countersign/proof/owner-call.ts'
import { compareWithRequest } from '@countersign/proof/owner-call-comparison.ts'
import { parseJsonTransaction, parseSerialized } from '@countersign/proof/owner-call-input.ts'
import { describeOwnerCall, utcOf } from '@countersign/proof/owner-call-text.ts'
import { vaultAbi } from '@countersign/proof/vault-artifact.ts'
import {
  concatHex,
  encodeFunctionData,
  type Hex,
  maxUint64,
  maxUint256,
  pad,
  serializeTransaction,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import { encodeApproval } from '#adapters/chain/token-codec.ts'
import { encodeActivation, encodeDeposit } from '#adapters/chain/vault-codec.ts'
import {
  address,
  callTo,
  combinedTransaction,
  decodeJson,
  deployment,
  EXECUTOR,
  HASH,
  OWNER,
  policyTransaction,
  recipientsTransaction,
  requested,
  TOKEN,
  terms,
  VAULT,
} from '#test/support/owner-calls.ts'

const vaultCall = (functionName: string, ...args: unknown[]): Hex =>
  encodeFunctionData({ abi: vaultAbi, functionName, args } as never)

describe('decoding', () => {
  test('names a policy with every field in human units', () => {
    expect(describeOwnerCall(decodeJson(policyTransaction()))).toEqual([
      "Replace the vault's whole policy (configurePolicy)",
      'chain: 8453',
      `from: ${OWNER}`,
      `vault: ${VAULT}`,
      'replaces version: 3',
      `executor: ${EXECUTOR}`,
      'ends: 2030-01-01T00:00:00Z (1893456000)',
      'automatic payments: allowed',
      'paused: no',
      'maximum per payment with a signature: 100 USDC (100000000 base units)',
      'maximum per payment without one: 20 USDC (20000000 base units)',
      'maximum over the life of the vault: 400 USDC (400000000 base units)',
      'must stay in the vault: 50.000001 USDC (50000001 base units)',
      'spending period: 86400 seconds (1 day)',
      'maximum per period: 200 USDC (200000000 base units)',
      'maximum per period without a signature: 60 USDC (60000000 base units)',
      'approvals: 1',
      '  above 80 USDC (80000000 base units): 2 different approvers',
      'approvers: 2',
      `  ${address('5')}`,
      `  ${address('6')}`,
    ])
  })

  test('names a policy without a period and without tiers', () => {
    const off = { periodSeconds: 0, periodCap: 0n, automaticPeriodCap: 0n, tiers: [] }
    const lines = describeOwnerCall(decodeJson(policyTransaction(off)))
    expect(lines.slice(-5, -2)).toEqual([
      'spending period: none',
      'approvals: 1 for every amount',
      'approvers: 2',
    ])
  })

  test('shows caps of a period that is off, which the vault refuses', () => {
    const lines = describeOwnerCall(decodeJson(policyTransaction({ periodSeconds: 0 })))
    expect(lines).toContain('spending period: 0 seconds')
    expect(lines).toContain('maximum per period: 200 USDC (200000000 base units)')
  })

  const changeLines = [
    'replaces list of recipients: 4',
    'recipients added: 2',
    `  ${address('7')}`,
    `  ${address('8')}`,
    'recipients removed: 1',
    `  ${address('9')}`,
  ]

  test('names a change of recipients with every address', () => {
    expect(describeOwnerCall(decodeJson(recipientsTransaction()))).toEqual([
      'Change who may be paid (changeRecipients)',
      'chain: 8453',
      `from: ${OWNER}`,
      `vault: ${VAULT}`,
      ...changeLines,
    ])
  })

  test('names the policy and the recipients of a call that changes both', () => {
    const lines = describeOwnerCall(decodeJson(combinedTransaction()))
    const policyLines = describeOwnerCall(decodeJson(policyTransaction())).slice(1)
    expect(lines).toEqual([
      "Replace the vault's whole policy and change its recipients (configurePolicyAndRecipients)",
      ...policyLines,
      ...changeLines,
    ])
  })

  test('names a deployment with owner, token, organization hash and delay', () => {
    const decoded = decodeJson(deployment().transaction)
    expect(decoded.call).toEqual({
      name: 'deployVault',
      owner: OWNER,
      token: TOKEN,
      organizationHash: HASH,
      changeDelaySeconds: 172_800,
    })
    expect(describeOwnerCall(decoded)).toContain('changes wait: 172800 seconds (2 days)')
    const { call, ...rest } = decoded
    const immediate = { ...rest, call: { ...call, changeDelaySeconds: 0 } as typeof call }
    expect(describeOwnerCall(immediate)).toContain('changes wait: no, they take effect at once')
  })

  test('names the activation of a policy like its proposal', () => {
    const proposed = decodeJson(policyTransaction())
    const { data } = encodeActivation({ vaultAddress: VAULT, expectedVersion: 3, policy: terms })
    const activation = callTo(data as Hex)
    expect(activation.call).toEqual({ ...proposed.call, name: 'activatePolicy' })
    expect(describeOwnerCall(activation)).toEqual([
      'Put a policy that has waited into force (activatePolicy)',
      ...describeOwnerCall(proposed).slice(1),
    ])
  })

  test.each<[string, Hex, string]>([
    ['withdraw', vaultCall('withdraw', 7n), 'amount: 0.000007 USDC (7 base units)'],
    [
      'deposit',
      encodeDeposit({ chainId: 8453, vaultAddress: VAULT, from: OWNER, amount: 1_500_000n })
        .data as Hex,
      'amount: 1.5 USDC (1500000 base units)',
    ],
    ['emergencyPause', vaultCall('emergencyPause'), 'Stop all payments (emergencyPause)'],
    ['invalidateApproval', vaultCall('invalidateApproval', HASH), `approval digest: ${HASH}`],
    ['veto', vaultCall('veto', HASH), `proposal: ${HASH}`],
    ['blockRecipient', vaultCall('blockRecipient', address('7')), `recipient: ${address('7')}`],
    ['unblockRecipient', vaultCall('unblockRecipient', address('7')), `recipient: ${address('7')}`],
    ['revokeApprover', vaultCall('revokeApprover', address('5')), `approver: ${address('5')}`],
    ['unpause', vaultCall('unpause', 6n), 'pause number: 6'],
    [
      'rescue',
      vaultCall('rescue', address('7'), 1_000_000n),
      'amount: 1000000 base units of that token',
    ],
    ['approve', encodeApproval({ spender: VAULT, amount: maxUint256 }), 'amount: UNLIMITED'],
  ])('names %s', (name, data, line) => {
    const decoded = callTo(data)
    expect(decoded.call.name).toBe(name)
    expect(describeOwnerCall(decoded)).toContain(line)
  })

  test('reads a serialized transaction, unsigned and signed', async () => {
    const { to, data } = policyTransaction()
    const fees = { gas: 21_000n, maxFeePerGas: 1n, maxPriorityFeePerGas: 1n }
    const call = { chainId: 8453, to: to as Hex, data: data as Hex }
    const plain = { type: 'eip1559' as const, nonce: 0, ...call, ...fees }
    const account = privateKeyToAccount(`0x${'11'.repeat(32)}`)
    for (const hex of [serializeTransaction(plain), await account.signTransaction(plain)]) {
      const decoded = decodeOwnerTransaction(parseSerialized(hex))
      expect(compareWithRequest(decoded, requested)).toEqual([])
    }
  })

  test('prints every expiry that a policy can have in UTC', () => {
    const asDate = (seconds: number) => new Date(seconds * 1000).toISOString().replace('.000', '')
    // A second of each day until 2110: with and without a leap day at the end of a century.
    const days = Array.from({ length: 51_134 }, (_, day) => day * 86_400 + ((day * 7_919) % 86_400))
    const wrong = days.filter((seconds) => utcOf(BigInt(seconds)) !== asDate(seconds))
    expect(wrong.map(asDate)).toEqual([])
    expect(utcOf(253_402_300_799n)).toBe('9999-12-31T23:59:59Z')
    expect(utcOf(maxUint64)).toMatch(/^584554051223-\d\d-\d\dT/)
  })
})

/** One digit in the middle of the creation code. */
const changedByte = (data: string): Hex => {
  const other = data[1_000] === '0' ? '1' : '0'
  return `${data.slice(0, 1_000)}${other}${data.slice(1_001)}` as Hex
}

describe('what is refused', () => {
  const { data: policyData } = policyTransaction()
  test.each<[string, () => unknown, RegExp]>([
    ['native currency with the call', () => callTo(policyData as Hex, { value: 1n }), /1 wei/],
    ['a function of no vault', () => callTo('0xdeadbeef'), /0xdeadbeef/],
    ['no data', () => callTo('0x'), /not a function of a vault/],
    [
      "an executor's call",
      () => callTo(vaultCall('paymentExecuted', HASH)),
      /paymentExecuted, which an owner never needs/,
    ],
    [
      'bytes behind the arguments',
      () => callTo(`${policyData}00` as Hex),
      /bytes that the call does not use/,
    ],
    [
      'dirty bytes in an address',
      () =>
        callTo(
          concatHex([
            encodeApproval({ spender: VAULT, amount: 1n }).slice(0, 10) as Hex,
            pad(`0x01${VAULT.slice(2)}`, { size: 32 }),
            pad('0x1', { size: 32 }),
          ]),
        ),
      /not a function of a vault, or has malformed|bytes that the call/,
    ],
    [
      'other creation code',
      () => callTo(changedByte(deployment().transaction.data), { to: null }),
      /not the published vault/,
    ],
    [
      'bytes behind the constructor',
      () => callTo(`${deployment().transaction.data}00` as Hex, { to: null }),
      /bytes that the call does not use/,
    ],
    [
      'a constructor without a delay',
      () => callTo(deployment().transaction.data.slice(0, -64) as Hex, { to: null }),
      /malformed arguments/,
    ],
    [
      'a delay that is no uint32',
      () =>
        callTo(`${deployment().transaction.data.slice(0, -64)}${'f'.repeat(64)}` as Hex, {
          to: null,
        }),
      /malformed arguments|bytes that the call does not use/,
    ],
    [
      'creation code without arguments',
      () => callTo(deployment().transaction.data.slice(0, -256) as Hex, { to: null }),
      /not the published vault/,
    ],
    ['hex of no transaction', () => parseSerialized('0x1234'), /not a serialized transaction/],
    ['no hex', () => parseSerialized('0xzz'), /not hex/],
    [
      'a delegation of the account (EIP-7702) in JSON',
      () => parseJsonTransaction({ ...policyTransaction(), authorizationList: [] }),
      /authorizationList/,
    ],
    [
      'a type that is not plain',
      () => parseJsonTransaction({ ...policyTransaction(), type: '0x4' }),
      /type 0x4/,
    ],
    [
      'data and input that differ',
      () => parseJsonTransaction({ ...policyTransaction(), input: '0x' }),
      /differ/,
    ],
    [
      'an address with a wrong checksum',
      () =>
        parseJsonTransaction({
          ...policyTransaction(),
          to: '0x52908400098527886E0F7030069857D2E4169Ee7',
        }),
      /wrong checksum/,
    ],
    ['no object', () => parseJsonTransaction([]), /not an object/],
  ])('%s', (_name, decode, message) => {
    expect(decode).toThrow(message)
  })

  test('a serialized delegation of the account (EIP-7702)', async () => {
    const account = privateKeyToAccount(`0x${'11'.repeat(32)}`)
    const authorization = await account.signAuthorization({
      contractAddress: EXECUTOR,
      chainId: 8453,
      nonce: 1,
    })
    const hex = await account.signTransaction({
      ...{ type: 'eip7702', chainId: 8453, to: VAULT, data: policyData as Hex, nonce: 0 },
      ...{ maxFeePerGas: 1n, maxPriorityFeePerGas: 1n, gas: 21_000n },
      authorizationList: [authorization],
    })
    expect(() => parseSerialized(hex)).toThrow(/type eip7702/)
  })
})
