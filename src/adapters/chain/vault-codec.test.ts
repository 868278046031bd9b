import { readFile } from 'node:fs/promises'
import type { ChainPolicy } from '@countersign/proof/execution.ts'
import { vaultAbi, vaultCreationCode } from '@countersign/proof/vault-artifact.ts'
import { fc, test as property } from '@fast-check/vitest'
import {
  type Address,
  decodeAbiParameters,
  decodeFunctionData,
  encodeErrorResult,
  type Hex,
  keccak256,
  pad,
  toHex,
} from 'viem'
import { describe, expect, test } from 'vitest'
import type { RecipientsChange } from '#ports/chain.ts'
import { vaultLogOf } from '#test/support/vault-log.ts'
import {
  encodeActivation,
  encodeDeployment,
  encodePolicy,
  encodeRecipients,
  exhaustedPeriod,
  refusalCode,
} from './vault-codec.ts'
import { decodeVaultEvent } from './vault-events.ts'

const read = (name: string) => readFile(new URL(`../../../docs/${name}`, import.meta.url), 'utf8')
const address = (n: number | bigint): Address => pad(toHex(n), { size: 20 })
const hash = (n: number): Hex => pad(toHex(n), { size: 32 })

const policyOf = (change: Partial<ChainPolicy> = {}): ChainPolicy => ({
  executorAddress: address(1),
  expiresAtSeconds: 4_000_000_000,
  automaticEnabled: true,
  paused: false,
  approvedCap: 10n,
  automaticCap: 5n,
  lifetimeCap: 100n,
  reserveFloor: 7n,
  periodSeconds: 86_400,
  periodCap: 50n,
  automaticPeriodCap: 20n,
  tiers: [{ above: 6n, approvals: 2 }],
  approverAddresses: [address(2), address(3)],
  ...change,
})

const call = { chainId: 31_337, vaultAddress: address(9), ownerAddress: address(8) }

const prepare = (
  policy: ChainPolicy,
  { expectedVersion = 0, recipients = null }: Partial<Expected> = {},
) => encodePolicy({ ...call, expectedVersion, policy, recipients })
type Expected = { expectedVersion: number; recipients: RecipientsChange | null }

const change: RecipientsChange = {
  expectedRecipientsVersion: 4,
  add: [address(21), address(22)],
  remove: [address(23)],
}

const policies = fc.record({
  executorAddress: fc.bigInt({ min: 1n, max: (1n << 160n) - 1n }).map(address),
  expiresAtSeconds: fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }),
  automaticEnabled: fc.boolean(),
  paused: fc.boolean(),
  approvedCap: fc.bigInt({ min: 0n, max: (1n << 128n) - 1n }),
  automaticCap: fc.bigInt({ min: 0n, max: (1n << 128n) - 1n }),
  lifetimeCap: fc.bigInt({ min: 0n, max: (1n << 128n) - 1n }),
  reserveFloor: fc.bigInt({ min: 0n, max: (1n << 128n) - 1n }),
  periodSeconds: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  periodCap: fc.bigInt({ min: 0n, max: (1n << 128n) - 1n }),
  automaticPeriodCap: fc.bigInt({ min: 0n, max: (1n << 128n) - 1n }),
  tiers: fc.array(
    fc.record({
      above: fc.bigInt({ min: 0n, max: (1n << 128n) - 1n }),
      approvals: fc.integer({ min: 0, max: 255 }),
    }),
    { maxLength: 4 },
  ),
  approverAddresses: fc.array(fc.nat().map(address), { maxLength: 32 }),
})

const argsOf = (data: string) => decodeFunctionData({ abi: vaultAbi, data: data as Hex })

/** The log of a configuration, from the call's own data. */
function configuredBy(data: string, version: bigint) {
  const config = argsOf(data).args?.[1] as { executor: Address }
  return vaultLogOf('PolicyConfigured', { version, executor: config.executor, config })
}

describe('a policy', () => {
  property.prop([policies, fc.integer({ min: 0, max: 1_000_000 })])(
    'that is sent is the policy in its log',
    (policy, expectedVersion) => {
      const { data } = prepare(policy, { expectedVersion })
      const event = decodeVaultEvent(configuredBy(data, BigInt(expectedVersion + 1)))
      expect(event).toEqual({ name: 'PolicyConfigured', version: expectedVersion + 1, policy })
      const again = event?.name === 'PolicyConfigured' ? event.policy : policyOf()
      expect(prepare(again, { expectedVersion }).data).toBe(data)
    },
  )

  test('that differs in any term is another call', () => {
    const changes: Partial<ChainPolicy>[] = [
      { executorAddress: address(5) },
      { expiresAtSeconds: 4_000_000_001 },
      { automaticEnabled: false },
      { paused: true },
      { approvedCap: 11n },
      { automaticCap: 6n },
      { lifetimeCap: 101n },
      { reserveFloor: 8n },
      { periodSeconds: 3_600 },
      { periodCap: 51n },
      { automaticPeriodCap: 21n },
      { tiers: [] },
      { tiers: [{ above: 7n, approvals: 2 }] },
      { tiers: [{ above: 6n, approvals: 3 }] },
      { approverAddresses: [address(2), address(6)] },
    ]
    const calls = [policyOf(), ...changes.map(policyOf)].map((policy) => prepare(policy).data)
    expect(new Set([...calls, prepare(policyOf(), { expectedVersion: 1 }).data]).size).toBe(
      calls.length + 1,
    )
  })

  test('is a transaction without value, from owner to vault, with gas for its lists', () => {
    const { gas, data: _data, ...rest } = prepare(policyOf())
    expect(rest).toEqual({ chainId: 31_337, from: address(8), to: address(9), value: '0x0' })
    const approverAddresses = Array.from({ length: 32 }, (_, n) => address(n))
    const longer = BigInt(prepare(policyOf({ approverAddresses })).gas)
    expect(longer).toBe(BigInt(gas) + 30n * 30_000n)
    const both = prepare(policyOf({ approverAddresses }), { recipients: change })
    expect(BigInt(both.gas)).toBe(longer + 3n * 30_000n)
  })

  test('is set together with recipients in one call', () => {
    const { data } = prepare(policyOf(), { expectedVersion: 3, recipients: change })
    const { functionName, args } = argsOf(data)
    expect(functionName).toBe('configurePolicyAndRecipients')
    expect(args?.slice(0, 1)).toEqual([3n])
    expect(args?.slice(2)).toEqual([4n, change.add, change.remove])
    expect(decodeVaultEvent(configuredBy(data, 4n))).toMatchObject({ policy: policyOf() })
  })

  test('without recipients is the call that leaves their list alone', () => {
    expect(argsOf(prepare(policyOf()).data).functionName).toBe('configurePolicy')
  })

  test('is activated with the very arguments that proposed it', () => {
    const proposed = argsOf(prepare(policyOf(), { expectedVersion: 7 }).data).args
    const input = { vaultAddress: address(9), expectedVersion: 7, policy: policyOf() }
    const { vaultAddress, data, gasLimit } = encodeActivation(input)
    expect(vaultAddress).toBe(address(9))
    expect(argsOf(data)).toEqual({ functionName: 'activatePolicy', args: proposed })
    expect(gasLimit).toBe(BigInt(prepare(policyOf()).gas))
  })
})

describe('a change of recipients', () => {
  test('is the difference, from owner to vault, without value', () => {
    const { gas, data, ...rest } = encodeRecipients({ ...call, ...change })
    expect(rest).toEqual({ chainId: 31_337, from: address(8), to: address(9), value: '0x0' })
    expect(argsOf(data)).toEqual({
      functionName: 'changeRecipients',
      args: [4n, change.add, change.remove],
    })
    expect(BigInt(gas)).toBe(150_000n + 3n * 30_000n)
  })

  test('with the most addresses fits into one transaction, even with the longest policy', () => {
    const add = Array.from({ length: 500 }, (_, n) => address(n + 100))
    const approverAddresses = Array.from({ length: 32 }, (_, n) => address(n + 1))
    const recipients = { expectedRecipientsVersion: 0, add, remove: [] }
    const { gas } = prepare(policyOf({ approverAddresses }), { recipients })
    expect(BigInt(gas)).toBeLessThan(16_777_216n)
  })
})

describe('a deployment', () => {
  const input = { chainId: 31_337, ownerAddress: address(8), tokenAddress: address(7) }
  const { transaction, constructorDataHash } = encodeDeployment({
    ...input,
    organizationHash: hash(1),
    changeDelaySeconds: 172_800,
  })

  test('has a third more gas than measured, as the documents say', async () => {
    const gas = BigInt(transaction.gas)
    const [, measured = ''] =
      /^\| deployment \|[^|]*\| ([\d,]+) \|/m.exec(await read('VAULT.md')) ?? []
    expect(3n * gas).toBeGreaterThan(4n * BigInt(measured.replaceAll(',', '')))
    expect(await read('DECISIONS.md')).toContain(`${gas.toLocaleString('en')} for a deployment`)
  })

  test('is the creation code with its four arguments', () => {
    const { data } = transaction
    expect(data.startsWith(vaultCreationCode)).toBe(true)
    const args = `0x${data.slice(vaultCreationCode.length)}` as Hex
    const kinds = [
      { type: 'address' },
      { type: 'address' },
      { type: 'bytes32' },
      { type: 'uint32' },
    ]
    expect(decodeAbiParameters(kinds, args)).toEqual([address(8), address(7), hash(1), 172_800])
    expect(constructorDataHash).toBe(keccak256(data as Hex))
  })

  test('creates a contract and sends no value', () => {
    expect(transaction).toMatchObject({ from: address(8), to: null, value: '0x0', chainId: 31_337 })
  })
})

describe('an exhausted period', () => {
  const errors = ['PeriodCapExceeded', 'AutomaticPeriodCapExceeded'] as const

  test.each(errors)('is read from %s, with its cap and its end', (errorName) => {
    const data = encodeErrorResult({ abi: vaultAbi, errorName, args: [7n, 5n, 1_800_000_000n] })
    expect(exhaustedPeriod(data)).toEqual({ cap: 5n, endsAtSeconds: 1_800_000_000 })
    expect(refusalCode(data)).toBe('period_cap_exceeded')
  })

  test('is not read from another refusal', () => {
    const data = encodeErrorResult({ abi: vaultAbi, errorName: 'CapExceeded', args: [7n, 5n] })
    expect(exhaustedPeriod(data)).toBeUndefined()
    expect(exhaustedPeriod('0x')).toBeUndefined()
  })
})
