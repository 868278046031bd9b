import type { ChainPolicy } from '@countersign/proof/execution.ts'
import { vaultAbi, vaultCreationCode } from '@countersign/proof/vault-artifact.ts'
import { fc, test as property } from '@fast-check/vitest'
import {
  type Address,
  decodeAbiParameters,
  decodeFunctionData,
  encodeAbiParameters,
  encodeEventTopics,
  getAbiItem,
  type Hex,
  keccak256,
  pad,
  parseAbi,
  toHex,
} from 'viem'
import { describe, expect, test } from 'vitest'
import { decodeVaultEvent, encodeDeployment, encodePolicy } from './vault-codec.ts'

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
  approverAddresses: [address(2)],
  recipientAddresses: [address(3), address(4)],
  ...change,
})

const prepare = (policy: ChainPolicy, expectedVersion = 0) =>
  encodePolicy({
    chainId: 31_337,
    vaultAddress: address(9),
    ownerAddress: address(8),
    expectedVersion,
    policy,
  })

const policies = fc.record({
  executorAddress: fc.bigInt({ min: 1n, max: (1n << 160n) - 1n }).map(address),
  expiresAtSeconds: fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }),
  automaticEnabled: fc.boolean(),
  paused: fc.boolean(),
  approvedCap: fc.bigInt({ min: 0n, max: (1n << 128n) - 1n }),
  automaticCap: fc.bigInt({ min: 0n, max: (1n << 128n) - 1n }),
  lifetimeCap: fc.bigInt({ min: 0n, max: (1n << 128n) - 1n }),
  reserveFloor: fc.bigInt({ min: 0n, max: (1n << 128n) - 1n }),
  approverAddresses: fc.array(fc.nat().map(address), { maxLength: 32 }),
  recipientAddresses: fc.array(fc.nat().map(address), { maxLength: 64 }),
})

/** The log that the vault would emit for a configuration, from the call's own data. */
function logOf(data: Hex, version: bigint) {
  const { args } = decodeFunctionData({ abi: vaultAbi, data })
  const config = args?.[1] as { executor: Address }
  const { inputs } = getAbiItem({ abi: vaultAbi, name: 'PolicyConfigured' })
  const topics = encodeEventTopics({
    abi: vaultAbi,
    eventName: 'PolicyConfigured',
    args: { version, executor: config.executor },
  } as never) as Hex[]
  const plain = inputs.filter(({ indexed }) => !indexed)
  return { topics, data: encodeAbiParameters(plain as never, [config] as never) }
}

describe('a policy', () => {
  property.prop([policies, fc.integer({ min: 0, max: 1_000_000 })])(
    'that is sent is the policy in its log',
    (policy, expectedVersion) => {
      const { data } = prepare(policy, expectedVersion)
      const event = decodeVaultEvent(logOf(data as Hex, BigInt(expectedVersion + 1)))
      expect(event).toEqual({ name: 'PolicyConfigured', version: expectedVersion + 1, policy })
      const again = event?.name === 'PolicyConfigured' ? event.policy : policyOf()
      expect(prepare(again, expectedVersion).data).toBe(data)
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
      { approverAddresses: [address(2), address(6)] },
      { recipientAddresses: [address(4), address(3)] },
    ]
    const calls = [policyOf(), ...changes.map(policyOf)].map((policy) => prepare(policy).data)
    expect(new Set([...calls, prepare(policyOf(), 1).data]).size).toBe(calls.length + 1)
  })

  test('is a transaction without value, from owner to vault, with gas for its lists', () => {
    const { gas, data: _data, ...rest } = prepare(policyOf())
    expect(rest).toEqual({ chainId: 31_337, from: address(8), to: address(9), value: '0x0' })
    const longer = policyOf({
      recipientAddresses: Array.from({ length: 256 }, (_, n) => address(n)),
    })
    expect(BigInt(prepare(longer).gas)).toBeGreaterThan(BigInt(gas) + 254n * 22_100n)
  })
})

describe('a deployment', () => {
  const input = { chainId: 31_337, ownerAddress: address(8), tokenAddress: address(7) }
  const { transaction, constructorDataHash } = encodeDeployment({
    ...input,
    organizationHash: hash(1),
  })

  test('is the creation code with its three arguments', () => {
    const { data } = transaction
    expect(data.startsWith(vaultCreationCode)).toBe(true)
    const args = `0x${data.slice(vaultCreationCode.length)}` as Hex
    const kinds = [{ type: 'address' }, { type: 'address' }, { type: 'bytes32' }]
    expect(decodeAbiParameters(kinds, args)).toEqual([address(8), address(7), hash(1)])
    expect(constructorDataHash).toBe(keccak256(data as Hex))
  })

  test('creates a contract and sends no value', () => {
    expect(transaction).toMatchObject({ from: address(8), to: null, value: '0x0', chainId: 31_337 })
  })
})

describe('a log', () => {
  test('of another contract is ignored', () => {
    const other = parseAbi(['event Paid(address indexed to, uint256 amount)'])
    const topics = encodeEventTopics({ abi: other, args: { to: address(1) } }) as Hex[]
    expect(decodeVaultEvent({ topics, data: hash(1) })).toBeUndefined()
    expect(decodeVaultEvent({ topics: [], data: '0x' })).toBeUndefined()
  })

  test('with our signature and malformed data is ignored', () => {
    const log = logOf(prepare(policyOf()).data as Hex, 1n)
    expect(decodeVaultEvent(log)?.name).toBe('PolicyConfigured')
    expect(decodeVaultEvent({ ...log, data: log.data.slice(0, 200) as Hex })).toBeUndefined()
    expect(decodeVaultEvent({ ...log, topics: log.topics.slice(0, 1) })).toBeUndefined()
  })

  test("of a deposit is ignored, because the token's transfer covers it", () => {
    const topics = encodeEventTopics({
      abi: vaultAbi,
      eventName: 'Deposited',
      args: { from: address(1) },
    }) as Hex[]
    expect(decodeVaultEvent({ topics, data: hash(5) })).toBeUndefined()
  })
})
