/** Evidence with changed signatures and fields, and input that is not evidence. */
import { checkEvidence } from '@countersign/proof/check-evidence.ts'
import type { Evidence } from '@countersign/proof/evidence.ts'
import { shapeProblems } from '@countersign/proof/evidence-shape.ts'
import { type Address, encodeFunctionData, type Hex } from 'viem'
import { describe, expect, test } from 'vitest'
import { compileMocks, type Mock } from '#test/adapters/mocks.ts'
import type { TestWallet } from '#test/support/chain.ts'
import { claimedIn, evidenceFor, paid, payFor, statedPolicy } from '#test/support/evidence.ts'
import { openVault, policyOf, randomHash, sent } from '#test/support/paying-vaults.ts'
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
    return changed(stage.honest, ({ approval }) => Object.assign(approval ?? {}, { signature }))
  }

  test('37: by an approver that the policy does not list', async () => {
    const unpaid = await evidenceFor(stage.payer, stage.vault, { approver: stage.stranger })
    await expectRefused(claimedIn(unpaid, placeOf(stage.honest)), [
      'approver in the policy',
      'chain: approver in the policy',
      "chain: the vault's log of this payment",
    ])
  })

  test('38: on an automatic payment, or missing on an approved one', async () => {
    const signed = changed(stage.automatic, (evidence) => {
      evidence.approval = stage.honest.approval
    })
    await expectRefused(signed, ['no signature on an automatic payment', 'asked: digest'])
    const unsigned = changed(stage.honest, (evidence) => {
      evidence.approval = null
    })
    await expectRefused(unsigned, ['signature', 'asked: digest'])
  })

  test('39: of a contract that did not accept it; an accepted one is verified', async () => {
    const wallet = await deployContractWallet()
    const approver = { address: wallet.address, account: stage.stranger.account }
    const policy = { approverAddresses: [wallet.address.toLowerCase()] }
    const other = await openVault(stage.payer, { policy })
    const asked = await evidenceFor(stage.payer, other, { approver })
    await wallet.accept(asked.approval?.digest as Hex, asked.approval?.signature as Hex)
    const genuine = await payFor(stage.payer, asked)
    expect((await check(genuine)).verdict).toBe('verified')
    expect((await checkEvidence(genuine)).verdict).toBe('refused')
    const signature = await stage.payer.owner.account.sign({ hash: asked.approval?.digest as Hex })
    const forged = changed(genuine, ({ approval }) => Object.assign(approval ?? {}, { signature }))
    await expectRefused(forged, ["chain: the approver's signature"])
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
      ({ approval }) => Object.assign(approval?.typedData.message ?? {}, { amount: '7' }),
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

describe('input that is not evidence', () => {
  test.each<[string, (evidence: Evidence) => unknown, string]>([
    ['49: not an object', () => [], 'evidence must be an object'],
    ['50: another version', (e) => ({ ...e, version: 2 }), 'evidence.version must be 1'],
    ['51: a missing part', ({ asked: _asked, ...e }) => e, 'evidence.asked must be an object'],
    [
      '52: an empty `asked`',
      (e) => ({ ...e, asked: {} }),
      'evidence.asked.vaultAddress must be an address',
    ],
    [
      '53: a short hash',
      (e) => ({ ...e, report: { ...e.report, reportHash: '0x12' } }),
      'evidence.report.reportHash must be a hash',
    ],
    [
      '54: a hash in upper case',
      (e) => ({
        ...e,
        report: { ...e.report, reportHash: e.report.reportHash.toUpperCase().replace('X', 'x') },
      }),
      'evidence.report.reportHash must be a hash',
    ],
    [
      '55: an address with a wrong checksum',
      (e) => ({
        ...e,
        revision: {
          ...e.revision,
          vaultAddress: `0x${e.revision.vaultAddress.slice(2).toUpperCase()}`,
        },
      }),
      'evidence.revision.vaultAddress must be an address',
    ],
    [
      '56: an amount as a number',
      (e) => ({ ...e, revision: { ...e.revision, amountBaseUnits: 700 } }),
      'evidence.revision.amountBaseUnits must be base units',
    ],
    [
      '57: an amount with a leading zero',
      (e) => ({ ...e, revision: { ...e.revision, amountBaseUnits: '0700' } }),
      'evidence.revision.amountBaseUnits must be base units',
    ],
    [
      '58: an invalid deadline',
      (e) => ({ ...e, payment: { ...e.payment, deadline: 'soon' } }),
      'evidence.payment.deadline must be a UTC timestamp',
    ],
    [
      '59: an unknown mode',
      (e) => ({ ...e, payment: { ...e.payment, mode: 'manual' } }),
      'evidence.payment.mode must be approved or automatic',
    ],
    [
      '60: odd hex digits in the signature',
      (e) => ({ ...e, approval: { ...e.approval, signature: '0xabc' } }),
      'evidence.approval.signature must be 0x',
    ],
    [
      '61: recipients that are not a list',
      (e) => ({ ...e, policy: { ...e.policy, recipientAddresses: 'all' } }),
      'evidence.policy.recipientAddresses must be a list',
    ],
  ])('%s is reported with its field', (_name, change, problem) => {
    expect(shapeProblems(change(stage.honest))).toContainEqual(expect.stringContaining(problem))
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

test("the policy's lists are compared in any order", async () => {
  const two = [stage.stranger.address.toLowerCase(), stage.payer.recipient.toLowerCase()]
  const other = await openVault(stage.payer, { policy: { recipientAddresses: two } })
  const evidence = await paid(stage.payer, other)
  const reversed = policyOf(stage.payer, { recipientAddresses: [...two].reverse() })
  const stated = { ...evidence, policy: statedPolicy({ ...other, policy: reversed }) }
  expect((await check(stated)).verdict).toBe('verified')
})
