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
import { encodeDeposit } from '#adapters/chain/vault-codec.ts'
import {
  address,
  callTo,
  decodeJson,
  deployment,
  EXECUTOR,
  HASH,
  OWNER,
  policyTransaction,
  requested,
  TOKEN,
  VAULT,
} from '#test/support/owner-calls.ts'

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
      'approvers: 2',
      `  ${address('5')}`,
      `  ${address('6')}`,
      'recipients: 2',
      `  ${address('7')}`,
      `  ${address('8')}`,
    ])
  })

  test('names a deployment with owner, token and organization hash', () => {
    expect(decodeJson(deployment().transaction).call).toEqual({
      name: 'deployVault',
      owner: OWNER,
      token: TOKEN,
      organizationHash: HASH,
    })
  })

  test.each<[string, Hex, string]>([
    [
      'withdraw',
      encodeFunctionData({ abi: vaultAbi, functionName: 'withdraw', args: [7n] }),
      'amount: 0.000007 USDC (7 base units)',
    ],
    [
      'deposit',
      encodeDeposit({ chainId: 8453, vaultAddress: VAULT, from: OWNER, amount: 1_500_000n })
        .data as Hex,
      'amount: 1.5 USDC (1500000 base units)',
    ],
    [
      'emergencyPause',
      encodeFunctionData({ abi: vaultAbi, functionName: 'emergencyPause' }),
      'Stop all payments (emergencyPause)',
    ],
    [
      'invalidateApproval',
      encodeFunctionData({ abi: vaultAbi, functionName: 'invalidateApproval', args: [HASH] }),
      `approval digest: ${HASH}`,
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
    for (const seconds of [
      0, 951_782_399, 951_782_400, 1_709_164_800, 4_102_444_799, 253_402_300_799,
    ]) {
      expect(utcOf(BigInt(seconds))).toBe(
        new Date(seconds * 1000).toISOString().replace('.000', ''),
      )
    }
    expect(utcOf(maxUint64)).toMatch(/^584554051223-\d\d-\d\dT/)
  })
})

describe('what is refused', () => {
  const { data: policyData } = policyTransaction()
  test.each<[string, () => unknown, RegExp]>([
    ['native currency with the call', () => callTo(policyData as Hex, { value: 1n }), /1 wei/],
    ['a function of no vault', () => callTo('0xdeadbeef'), /0xdeadbeef/],
    ['no data', () => callTo('0x'), /not a function of a vault/],
    [
      "an executor's call",
      () =>
        callTo(
          encodeFunctionData({ abi: vaultAbi, functionName: 'paymentExecuted', args: [HASH] }),
        ),
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
      () => callTo(deployment().transaction.data.replace('6101c0', '6101c1') as Hex, { to: null }),
      /not the published vault/,
    ],
    [
      'bytes behind the constructor',
      () => callTo(`${deployment().transaction.data}00` as Hex, { to: null }),
      /bytes that the call does not use/,
    ],
    [
      'creation code without arguments',
      () => callTo(deployment().transaction.data.slice(0, -192) as Hex, { to: null }),
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
