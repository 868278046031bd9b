/** Evidence with a policy that was never in force at the vault. */
import type { Evidence } from '@countersign/proof/evidence.ts'
import { concatHex, type Hex, keccak256, pad, size } from 'viem'
import { describe, expect, test } from 'vitest'
import { vaultCodeAt } from '#adapters/chain/vault-identity.ts'
import {
  CHAIN_ID,
  claimedIn,
  evidenceFor,
  fund,
  openVault,
  type PayingVault,
  paid,
  randomHash,
  sent,
  statedPolicy,
} from '#test/support/evidence.ts'
import { creationOf, type Filled, LOCK } from '#test/support/hand-made-vault.ts'
import { placeOf, useStage } from './stage.ts'
import { onlyFor, verdictsBy } from './verdicts.ts'

const stage = useStage()
const { expectRefused, expectRefusedByChain } = verdictsBy(() => stage.proxy.url)

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
    [
      '29: an additional recipient',
      () => ({
        recipientAddresses: [
          ...stage.vault.policy.recipientAddresses,
          stage.stranger.address.toLowerCase(),
        ],
      }),
    ],
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
  ])('%s than the vault logged', async (_name, policy) => {
    await expectRefusedByChain(withPolicy(policy()), [terms])
  })

  test('34: a recipient and an approver that the logged policy does not list', async () => {
    const others = {
      approverAddresses: [stage.stranger.address.toLowerCase()],
      recipientAddresses: [stage.stranger.address.toLowerCase()],
    }
    const other = await openVault(stage.payer, { policy: others })
    const { client } = stage.payer.chain
    const receipt = await client.getTransactionReceipt({ hash: other.policyTransactionHash })
    const data = receipt.logs.at(-1)?.data
    stage.proxy.tamper = onlyFor(
      'eth_getTransactionReceipt',
      (got: { logs: object[] }, { params }) =>
        params[0] === stage.vault.policyTransactionHash
          ? { ...got, logs: got.logs.map((log) => ({ ...log, data })) }
          : got,
    )
    await expectRefused(stage.honest, [
      terms,
      'chain: recipient in the policy',
      'chain: approver in the policy',
    ])
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
    const log = receipt.logs.at(-1)
    const slotOf = (base: Hex, listed: string) => {
      const inner = keccak256(concatHex([pad('0x1', { size: 32 }), pad(base, { size: 32 })]))
      return keccak256(concatHex([pad(listed as Hex, { size: 32 }), inner]))
    }
    const copied = await Promise.all(
      (['0x2', '0x3', '0x4', '0x5'] as const).map(async (slot) => {
        const value = await client.getStorageAt({ address: stage.vault.address, slot })
        return [slot, BigInt(value ?? 0)] as const
      }),
    )
    const storage: Filled = [
      [LOCK, 1n],
      ...copied,
      [slotOf('0x6', stage.payer.approver.address), 1n],
      [slotOf('0x7', stage.payer.recipient), 1n],
    ]
    const data = creationWithLog(runtime, storage, log as never)
    const deployed = await sent(stage.payer, attacker, { to: null, data })
    expect(deployed.contractAddress?.toLowerCase()).toBe(address.toLowerCase())
    return { ...stage.vault, address, policyTransactionHash: deployed.transactionHash }
  }
})

/** `creationOf`, preceded by a log of three topics whose data is at the end. */
function creationWithLog(runtime: Hex, storage: Filled, log: { topics: Hex[]; data: Hex }): Hex {
  const two = (value: number): Hex => `0x${value.toString(16).padStart(4, '0')}`
  const prefixOf = (end: number): Hex =>
    concatHex([
      ...(['0x61', two(size(log.data)), '0x61', two(end), '0x5f39'] as const),
      ...[...log.topics].reverse().map((topic) => concatHex(['0x7f', topic])),
      ...(['0x61', two(size(log.data)), '0x5fa3'] as const),
    ])
  const prefix = size(prefixOf(0))
  const rest = creationOf(runtime, storage, prefix)
  return concatHex([prefixOf(prefix + size(rest)), rest, log.data])
}
