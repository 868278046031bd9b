/** Evidence with changed signatures and fields. */
import { checkEvidence } from '@countersign/proof/check-evidence.ts'
import type { Evidence } from '@countersign/proof/evidence.ts'
import { type Address, encodeFunctionData, type Hex } from 'viem'
import { describe, expect, test } from 'vitest'
import { compileMocks, type Mock } from '#test/adapters/mocks.ts'
import type { TestWallet } from '#test/support/chain.ts'
import { claimedIn, evidenceFor, paid, payFor, statedPolicy } from '#test/support/evidence.ts'
import { openVault, randomHash, sent, tieredBy } from '#test/support/paying-vaults.ts'
import { changed, placeOf, useStage } from './stage.ts'
import { verdictsBy } from './verdicts.ts'

const stage = useStage()
const { check, expectRefused, expectRefusedByChain } = verdictsBy(() => stage.proxy.url)

describe('an invalid signature', () => {
  const keyLink = "signature by the approver's key"

  test('36: by another key', async () => {
    const forged = await changedSignature(stage.stranger)
    await expectRefused(forged, ["chain: the approver's signature"])
    const offline = await checkEvidence(forged)
    expect(offline.verdict).toBe('refused')
    expect(offline.findings.find(({ holds }) => !holds)?.link).toBe(keyLink)
  })

  const changedSignature = async ({ account }: TestWallet): Promise<Evidence> => {
    const signature = await account.sign({ hash: stage.honest.approval?.digest as Hex })
    return withSignature(stage.honest, signature)
  }

  /** In both places in which the bundle has it. */
  const withSignature = (evidence: Evidence, signature: string): Evidence =>
    changed(evidence, ({ approval, approvals }) => {
      for (const one of [approval, ...approvals]) Object.assign(one ?? {}, { signature })
    })

  test('37: by an approver that the policy does not list', async () => {
    const unpaid = await evidenceFor(stage.payer, stage.vault, { approvers: [stage.stranger] })
    await expectRefused(claimedIn(unpaid, placeOf(stage.honest)), [
      'approver in the policy',
      'chain: approvers in the policy',
      "chain: the vault's log of this payment",
    ])
  })

  test('38: on an automatic payment, or missing on an approved one', async () => {
    const { approval, approvals } = stage.honest
    for (const added of [{ approval }, { approvals }, { approval, approvals }]) {
      const signed = { ...stage.automatic, ...added }
      await expectRefused(signed, ['no signature on an automatic payment'])
    }
    await expectRefused({ ...stage.automatic, approval, approvals }, ['asked: digests'])
    const unsigned = { ...stage.honest, approval: null, approvals: [] }
    await expectRefused(unsigned, ['signature', 'asked: digests', 'asked: approvers'])
    await expectRefused({ ...stage.honest, approval: null }, ['signature'])
    const empty = { ...stage.honest, approvals: [] }
    await expectRefused(empty, ['as many signatures as the amount needs'])
  })

  test('39: of a contract that did not accept it; an accepted one is verified', async () => {
    const wallet = await deployContractWallet()
    const approver = { address: wallet.address, account: stage.stranger.account }
    const policy = { approverAddresses: [wallet.address.toLowerCase()] }
    const other = await openVault(stage.payer, { policy })
    const asked = await evidenceFor(stage.payer, other, { approvers: [approver] })
    await wallet.accept(asked.approval?.digest as Hex, asked.approval?.signature as Hex)
    const genuine = await payFor(stage.payer, asked)
    expect((await check(genuine)).verdict).toBe('verified')
    expect((await checkEvidence(genuine)).verdict).toBe('refused')
    const signature = await stage.payer.owner.account.sign({ hash: asked.approval?.digest as Hex })
    await expectRefused(withSignature(genuine, signature), ["chain: the approver's signature"])
  })

  async function deployContractWallet() {
    const { ContractWallet } = await compileMocks(['Wallets'])
    const { abi, bytecode } = ContractWallet as Mock
    const deployed = await sent(stage.payer, stage.payer.owner, { to: null, data: bytecode })
    const address = deployed.contractAddress as Address
    return {
      address,
      accept: (digest: Hex, signature: Hex) => {
        const call = { abi, functionName: 'accept', args: [digest, signature] }
        return sent(stage.payer, stage.payer.owner, { to: address, data: encodeFunctionData(call) })
      },
    }
  }
})

describe('a field changed afterwards', () => {
  test.each<[string, (evidence: Evidence) => void, string]>([
    [
      '40: the amount',
      ({ revision }) => Object.assign(revision, { amountBaseUnits: '701' }),
      'revision hash from its fields',
    ],
    [
      '41: the recipient',
      ({ revision }) => Object.assign(revision, { recipientAddress: stage.payer.owner.address }),
      'revision hash from its fields',
    ],
    [
      '42: the purpose',
      ({ revision }) => Object.assign(revision, { purpose: 'A boat' }),
      'revision hash from its fields',
    ],
    [
      '43: the report',
      ({ report }) => Object.assign(report.output as object, { riskScore: 1 }),
      'report hash from its output',
    ],
    [
      '44: the revision hash',
      ({ revision }) => Object.assign(revision, { versionHash: randomHash() }),
      'asked: revision',
    ],
    [
      '45: the deadline',
      ({ payment }) => Object.assign(payment, { deadline: '2093-08-02T14:40:01.000Z' }),
      'digest from what was to be signed',
    ],
    [
      '46: the organization',
      ({ payment }) => Object.assign(payment, { organizationHash: randomHash() }),
      'payment id on the chain from the payment',
    ],
    [
      '47: what the approver was shown',
      ({ approvals }) => Object.assign(approvals[0]?.typedData.message ?? {}, { amount: '7' }),
      'what was shown to be signed',
    ],
  ])('%s is refused, offline too', async (_name, change, link) => {
    const forged = changed(stage.honest, change)
    expect((await checkEvidence(forged)).verdict).toBe('refused')
    await expectRefused(forged, [link])
  })

  test("48: an automatic payment's deadline is refused by the transaction's input", async () => {
    const forged = changed(stage.automatic, ({ payment }) =>
      Object.assign(payment, { deadline: '2090-01-01T00:00:00Z' }),
    )
    await expectRefusedByChain(forged, ['chain: the deadline that was sent'])
  })
})

test("a node without the old block's state gives no verdict", async () => {
  stage.proxy.trouble = ({ method }) =>
    method === 'eth_getCode'
      ? {
          status: 200,
          text: '{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"missing trie node"}}',
        }
      : undefined
  await expect(check(stage.honest)).rejects.toThrow(/missing trie node/)
})

test("the policy's approvers are compared in any order", async () => {
  const { payer } = stage
  const tiered = await openVault(payer, { policy: tieredBy(payer) })
  const evidence = await paid(payer, tiered)
  const { approverAddresses } = tiered.policy
  const policy = { ...tiered.policy, approverAddresses: approverAddresses.toReversed() }
  const stated = { ...evidence, policy: statedPolicy({ ...tiered, policy }) }
  expect((await check(stated)).verdict).toBe('verified')
})
