/** Evidence with a policy that was never in force at the vault. */
import type { Evidence } from '@countersign/proof/evidence.ts'
import { vaultAbi } from '@countersign/proof/vault-artifact.ts'
import { concatHex, encodeEventTopics, type Hex, keccak256, numberToHex, pad, size } from 'viem'
import { describe, expect, test } from 'vitest'
import { vaultCodeAt } from '#adapters/chain/vault-identity.ts'
import { claimedIn, evidenceFor, paid, statedPolicy } from '#test/support/evidence.ts'
import { creationOf, type Filled, LOCK } from '#test/support/hand-made-vault.ts'
import {
  CHAIN_ID,
  fund,
  openVault,
  type PayingVault,
  randomHash,
  sent,
  tieredBy,
} from '#test/support/paying-vaults.ts'
import { withoutPeriod } from '#test/support/policy-terms.ts'
import { PERIOD, placeOf, useStage } from './stage.ts'
import { onlyFor, verdictsBy } from './verdicts.ts'

const stage = useStage()
const { check, expectRefused, expectRefusedByChain } = verdictsBy(() => stage.proxy.url)

const withPolicy = (policy: Partial<PayingVault['policy']>): Evidence => ({
  ...stage.honest,
  policy: statedPolicy({ ...stage.vault, policy: { ...stage.vault.policy, ...policy } }),
})
describe('a policy that was not in force', () => {
  const terms = 'chain: the policy matches the bundle'

  test('26: a version that the vault never had', async () => {
    const later = { ...stage.vault, policyVersion: 2 }
    const unpaid = await evidenceFor(stage.payer, later)
    await expectRefusedByChain(claimedIn(unpaid, placeOf(stage.honest)), [
      'chain: the policy was configured',
    ])
  })

  test('27: a policy transaction of another vault, or an unknown one', async () => {
    const other = await openVault(stage.payer)
    for (const hash of [other.policyTransactionHash, randomHash()]) {
      const forged = {
        ...stage.honest,
        policy: { ...statedPolicy(stage.vault), chainTransactionHash: hash },
      }
      await expectRefusedByChain(forged, ['chain: the policy was configured'])
    }
  })

  test.each([
    ['28: a higher cap', () => ({ approvedCap: 2_000n })],
    ['29: another reserve', () => ({ reserveFloor: 1n })],
    [
      '30: an additional approver',
      () => ({
        approverAddresses: [
          ...stage.vault.policy.approverAddresses,
          stage.stranger.address.toLowerCase(),
        ],
      }),
    ],
    ['31: another executor', () => ({ executorAddress: stage.stranger.address.toLowerCase() })],
    ['32: a later expiry', () => ({ expiresAtSeconds: 4_000_000_001 })],
    ['33: no automatic payments', () => ({ automaticEnabled: false })],
    ['78: a higher lifetime cap', () => ({ lifetimeCap: 2_000_000n })],
    ['79: another period', () => ({ ...PERIOD, periodSeconds: 604_800 })],
    ['80: a higher period cap', () => ({ ...PERIOD, periodCap: 50_001n })],
    ['81: a higher automatic period cap', () => ({ ...PERIOD, automaticPeriodCap: 20_001n })],
    ['82: no period at all', () => withoutPeriod],
  ])('%s than the vault logged', async (_name, policy) => {
    await expectRefusedByChain(withPolicy(policy()), [terms])
  })

  test('83: a tier dropped, added, begun later or with fewer approvals', async () => {
    const { payer } = stage
    const tiered = await openVault(payer, { policy: tieredBy(payer) })
    const [first, second] = tiered.policy.tiers
    if (!first || !second) throw new Error('There are no two tiers')
    // 500 needs one signature in all of these, so that the bundle is consistent with itself.
    const evidence = await paid(payer, tiered, { amount: 500n })
    expect((await check(evidence)).verdict).toBe('verified')
    for (const tiers of [
      [],
      [first],
      [first, second, { above: 950n, approvals: 4 }],
      [{ ...first, above: 601n }, second],
      [first, { ...second, approvals: 4 }],
    ]) {
      const policy = statedPolicy({ ...tiered, policy: { ...tiered.policy, tiers } })
      await expectRefusedByChain({ ...evidence, policy }, [terms])
    }
  })

  test('34: an approver that the logged policy does not list', async () => {
    const others = { approverAddresses: [stage.stranger.address.toLowerCase()] }
    const other = await openVault(stage.payer, { policy: others })
    const { client } = stage.payer.chain
    const receipt = await client.getTransactionReceipt({ hash: other.policyTransactionHash })
    const [topic] = encodeEventTopics({ abi: vaultAbi, eventName: 'PolicyConfigured' })
    const dataOf = (logs: readonly { topics: Hex[]; data: Hex }[]) =>
      logs.find(({ topics }) => topics[0] === topic)?.data
    const data = dataOf(receipt.logs as never)
    stage.proxy.tamper = onlyFor(
      'eth_getTransactionReceipt',
      (got: { logs: { topics: Hex[] }[] }, { params }) =>
        params[0] === stage.vault.policyTransactionHash
          ? {
              ...got,
              logs: got.logs.map((log) => (log.topics[0] === topic ? { ...log, data } : log)),
            }
          : got,
    )
    await expectRefused(stage.honest, [terms, 'chain: approvers in the policy'])
  })

  test("35: a policy logged by hand-made creation code in the owner's name", async () => {
    const forged = await deployWithPolicy()
    await fund(stage.payer, forged.address)
    const evidence = await paid(stage.payer, forged)
    const code = await stage.payer.chain.client.getCode({ address: forged.address })
    expect(code).toBe(vaultCodeAt({ chainId: CHAIN_ID, address: forged.address }, made(forged)))
    await expectRefusedByChain(evidence, ["chain: the vault's code is the artifact"], {
      pins: { owner: stage.payer.owner.address },
    })
  })

  const made = ({ organizationHash }: { organizationHash: Hex }) => ({
    owner: stage.payer.owner.address,
    token: stage.payer.chain.tokenAddress,
    organizationHash,
    changeDelaySeconds: 0,
  })

  /** The genuine code, with the storage and log of a policy that its owner never signed. */
  async function deployWithPolicy(): Promise<PayingVault> {
    const attacker = stage.stranger
    const { client } = stage.payer.chain
    const nonce = await client.getTransactionCount({ address: attacker.address })
    const { getContractAddress } = await import('viem')
    const address = getContractAddress({ from: attacker.address, nonce: BigInt(nonce) })
    const runtime = vaultCodeAt({ chainId: CHAIN_ID, address }, made(stage.vault))
    const receipt = await client.getTransactionReceipt({ hash: stage.vault.policyTransactionHash })
    const storage = await storedIn(stage.vault.address)
    const data = creationWithLogs(runtime, [[LOCK, 1n], ...storage], receipt.logs as never)
    const deployed = await sent(stage.payer, attacker, { to: null, data })
    expect(deployed.contractAddress?.toLowerCase()).toBe(address.toLowerCase())
    const { transactionHash } = deployed
    const listing = { ...stage.vault.listing, transactionHash }
    return { ...stage.vault, address, policyTransactionHash: transactionHash, listing }
  }

  /** The vault's storage, whatever its layout: plain slots, and mappings by address or version. */
  async function storedIn(address: Hex): Promise<Filled> {
    const { approver, recipient } = stage.payer
    const accounts = [approver.address, recipient]
    const slots = Array.from({ length: 24 }, (_, base) => numberToHex(base, { size: 32 })).flatMap(
      (base) => [
        base,
        ...accounts.map((account) => mapped(account, base)),
        ...accounts.map((account) => mapped(account, mapped('0x1', base))),
      ],
    )
    const stored = await Promise.all(
      slots.map(async (slot) => {
        const value = await stage.payer.chain.client.getStorageAt({ address, slot })
        return [slot, BigInt(value ?? 0)] as const
      }),
    )
    return stored.filter(([, value]) => value !== 0n)
  }
})

const mapped = (key: Hex, base: Hex): Hex => keccak256(concatHex([pad(key, { size: 32 }), base]))

/** `creationOf`, preceded by logs whose data is at the end. */
function creationWithLogs(
  runtime: Hex,
  storage: Filled,
  logs: readonly { topics: Hex[]; data: Hex }[],
): Hex {
  const two = (value: number): Hex => `0x${value.toString(16).padStart(4, '0')}`
  const logOp = (topics: number): Hex => `0x${(0xa0 + topics).toString(16)}`
  const prefixOf = (end: number): Hex => {
    let at = end
    return concatHex(
      logs.flatMap(({ topics, data }) => {
        const code = [
          ...(['0x61', two(size(data)), '0x61', two(at), '0x5f39'] as const),
          ...[...topics].reverse().map((topic) => concatHex(['0x7f', topic])),
          ...(['0x61', two(size(data)), '0x5f', logOp(topics.length)] as const),
        ]
        at += size(data)
        return code
      }),
    )
  }
  const prefix = size(prefixOf(0))
  const rest = creationOf(runtime, storage, prefix)
  return concatHex([prefixOf(prefix + size(rest)), rest, ...logs.map(({ data }) => data)])
}
