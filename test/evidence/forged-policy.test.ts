/** Forged policies, approvers and signatures, and what is not evidence at all. */
import { type Address, concatHex, encodeFunctionData, type Hex, keccak256, pad, size } from 'viem'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { vaultCodeAt } from '#adapters/vault-identity.ts'
import { checkEvidence } from '#payments/check-evidence.ts'
import type { Evidence } from '#payments/evidence.ts'
import { shapeProblems } from '#payments/evidence-shape.ts'
import { compileMocks, type Mock } from '#test/adapters/mocks.ts'
import { type RpcProxy, startRpcProxy } from '#test/chain/rpc-proxy.ts'
import type { TestWallet } from '#test/support/chain.ts'
import {
  CHAIN_ID,
  claimedIn,
  evidenceFor,
  fund,
  openPayer,
  openVault,
  type Payer,
  type PayingVault,
  paid,
  payFor,
  policyOf,
  randomHash,
  sent,
  statedPolicy,
} from '#test/support/evidence.ts'
import { creationOf, type Filled, LOCK } from '#test/support/hand-made-vault.ts'
import { onlyFor, verdictsBy } from './verdicts.ts'

vi.setConfig({ testTimeout: 30_000, hookTimeout: 60_000 })

let payer: Payer
let proxy: RpcProxy
let vault: PayingVault
let honest: Evidence
let automatic: Evidence
let stranger: TestWallet

beforeAll(async () => {
  payer = await openPayer()
  proxy = await startRpcProxy(payer.chain.rpcUrl)
  vault = await openVault(payer)
  honest = await paid(payer, vault)
  automatic = await paid(payer, vault, { mode: 'automatic', amount: 300n })
  stranger = await payer.chain.wallet()
})
afterEach(() => proxy.heal())
afterAll(async () => {
  await proxy.stop()
  await payer.chain.stop()
})

const { check, expectRefused, expectRefusedByChain } = verdictsBy(() => proxy.url)

const changed = (change: (evidence: Evidence) => void, from = honest): Evidence => {
  const copy = structuredClone(from)
  change(copy)
  return copy
}
const withPolicy = (policy: Partial<PayingVault['policy']>): Evidence => ({
  ...honest,
  policy: statedPolicy({ ...vault, policy: { ...vault.policy, ...policy } }),
})
const placeOf = ({ event }: Evidence) => ({
  transactionHash: event?.transactionHash as Hex,
  blockNumber: BigInt(event?.blockNumber ?? 0),
  blockHash: event?.blockHash as Hex,
})

describe('a policy that was not in force', () => {
  const terms = 'chain: the policy says what the bundle says'

  test('26: a version that the vault never had', async () => {
    const later = { ...vault, policyVersion: 2 }
    const unpaid = await evidenceFor(payer, later)
    await expectRefusedByChain(claimedIn(unpaid, placeOf(honest)), [
      'chain: the policy was configured',
    ])
  })

  test("27: the policy's transaction is of another vault, or of nobody", async () => {
    const other = await openVault(payer)
    for (const hash of [other.policyTransactionHash, randomHash()]) {
      const forged = { ...honest, policy: { ...statedPolicy(vault), chainTransactionHash: hash } }
      await expectRefusedByChain(forged, ['chain: the policy was configured'])
    }
  })

  test.each([
    ['28: a higher cap', () => ({ approvedCap: 2_000n })],
    [
      '29: a recipient more',
      () => ({
        recipientAddresses: [...vault.policy.recipientAddresses, stranger.address.toLowerCase()],
      }),
    ],
    [
      '30: an approver more',
      () => ({
        approverAddresses: [...vault.policy.approverAddresses, stranger.address.toLowerCase()],
      }),
    ],
    ['31: another executor', () => ({ executorAddress: stranger.address.toLowerCase() })],
    ['32: a later end', () => ({ expiresAtSeconds: 4_000_000_001 })],
    ['33: no automatic payments', () => ({ automaticEnabled: false })],
  ])('%s than the vault logged', async (_name, policy) => {
    await expectRefusedByChain(withPolicy(policy()), [terms])
  })

  test('34: recipient and approver that the logged policy does not list', async () => {
    const others = {
      approverAddresses: [stranger.address.toLowerCase()],
      recipientAddresses: [stranger.address.toLowerCase()],
    }
    const other = await openVault(payer, { policy: others })
    const { client } = payer.chain
    const receipt = await client.getTransactionReceipt({ hash: other.policyTransactionHash })
    const data = receipt.logs.at(-1)?.data
    proxy.tamper = onlyFor('eth_getTransactionReceipt', (got: { logs: object[] }, { params }) =>
      params[0] === vault.policyTransactionHash
        ? { ...got, logs: got.logs.map((log) => ({ ...log, data })) }
        : got,
    )
    await expectRefused(honest, [
      terms,
      'chain: recipient in the policy',
      'chain: approver in the policy',
    ])
  })

  test('35: a policy that hand-made creation code logged in the name of the owner', async () => {
    const forged = await deployWithPolicy()
    await fund(payer, forged.address)
    const evidence = await paid(payer, forged)
    const code = await payer.chain.client.getCode({ address: forged.address })
    expect(code).toBe(vaultCodeAt({ chainId: CHAIN_ID, address: forged.address }, made(forged)))
    await expectRefusedByChain(evidence, ["chain: the vault's code is the artifact"], {
      pins: { owner: payer.owner.address },
    })
  })

  const made = ({ organizationHash }: { organizationHash: Hex }) => ({
    owner: payer.owner.address,
    token: payer.chain.tokenAddress,
    organizationHash,
  })

  /** The genuine code, with the storage and the log of a policy that its owner never signed. */
  async function deployWithPolicy(): Promise<PayingVault> {
    const attacker = stranger
    const { client } = payer.chain
    const nonce = await client.getTransactionCount({ address: attacker.address })
    const { getContractAddress } = await import('viem')
    const address = getContractAddress({ from: attacker.address, nonce: BigInt(nonce) })
    const runtime = vaultCodeAt({ chainId: CHAIN_ID, address }, made(vault))
    const receipt = await client.getTransactionReceipt({ hash: vault.policyTransactionHash })
    const log = receipt.logs.at(-1)
    const slotOf = (base: Hex, listed: string) => {
      const inner = keccak256(concatHex([pad('0x1', { size: 32 }), pad(base, { size: 32 })]))
      return keccak256(concatHex([pad(listed as Hex, { size: 32 }), inner]))
    }
    const copied = await Promise.all(
      (['0x2', '0x3', '0x4', '0x5'] as const).map(async (slot) => {
        const value = await client.getStorageAt({ address: vault.address, slot })
        return [slot, BigInt(value ?? 0)] as const
      }),
    )
    const storage: Filled = [
      [LOCK, 1n],
      ...copied,
      [slotOf('0x6', payer.approver.address), 1n],
      [slotOf('0x7', payer.recipient), 1n],
    ]
    const data = creationWithLog(runtime, storage, log as never)
    const deployed = await sent(payer, attacker, { to: null, data })
    expect(deployed.contractAddress?.toLowerCase()).toBe(address.toLowerCase())
    return { ...vault, address, policyTransactionHash: deployed.transactionHash }
  }
})

/** `creationOf`, and before it a log of three topics whose data stands at the end. */
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

describe('a signature that does not count', () => {
  const keyLink = "signature by the approver's key"

  test('36: of another key', async () => {
    const forged = await changedSignature(stranger)
    await expectRefused(forged, ["chain: the approver's signature"])
    const offline = await checkEvidence(forged)
    expect(offline.verdict).toBe('refused')
    expect(offline.findings.find(({ holds }) => !holds)?.link).toBe(keyLink)
  })

  const changedSignature = async ({ account }: TestWallet): Promise<Evidence> => {
    const signature = await account.sign({ hash: honest.approval?.digest as Hex })
    return changed(({ approval }) => Object.assign(approval ?? {}, { signature }))
  }

  test('37: of an approver that the policy does not list', async () => {
    const unpaid = await evidenceFor(payer, vault, { approver: stranger })
    await expectRefused(claimedIn(unpaid, placeOf(honest)), [
      'approver in the policy',
      'chain: approver in the policy',
      "chain: the vault's log of this payment",
    ])
  })

  test('38: on a payment that the vault logged as automatic, and the other way round', async () => {
    const signed = changed((evidence) => {
      evidence.approval = honest.approval
    }, automatic)
    await expectRefused(signed, ['no signature on an automatic payment', 'asked: digest'])
    const unsigned = changed((evidence) => {
      evidence.approval = null
    })
    await expectRefused(unsigned, ['signature', 'asked: digest'])
  })

  test('39: of a contract that did not accept it; one that did is verified by a node', async () => {
    const wallet = await deployContractWallet()
    const approver = { address: wallet.address, account: stranger.account }
    const policy = { approverAddresses: [wallet.address.toLowerCase()] }
    const other = await openVault(payer, { policy })
    const asked = await evidenceFor(payer, other, { approver })
    await wallet.accept(asked.approval?.digest as Hex, asked.approval?.signature as Hex)
    const genuine = await payFor(payer, asked)
    expect((await check(genuine)).verdict).toBe('verified')
    expect((await checkEvidence(genuine)).verdict).toBe('refused')
    const signature = await payer.owner.account.sign({ hash: asked.approval?.digest as Hex })
    const forged = changed(({ approval }) => Object.assign(approval ?? {}, { signature }), genuine)
    await expectRefused(forged, ["chain: the approver's signature"])
  })

  async function deployContractWallet() {
    const { ContractWallet } = await compileMocks(['Wallets'])
    const { abi, bytecode } = ContractWallet as Mock
    const deployed = await sent(payer, payer.owner, { to: null, data: bytecode })
    const address = deployed.contractAddress as Address
    return {
      address,
      accept: (digest: Hex, signature: Hex) => {
        const call = { abi, functionName: 'accept', args: [digest, signature] }
        return sent(payer, payer.owner, { to: address, data: encodeFunctionData(call) })
      },
    }
  }
})

describe('a field that was changed afterwards', () => {
  test.each<[string, (evidence: Evidence) => void, string]>([
    [
      '40: the amount',
      ({ revision }) => Object.assign(revision, { amountBaseUnits: '701' }),
      'revision hash from its fields',
    ],
    [
      '41: the recipient',
      ({ revision }) => Object.assign(revision, { recipientAddress: payer.owner.address }),
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
    const forged = changed(change)
    expect((await checkEvidence(forged)).verdict).toBe('refused')
    await expectRefused(forged, [link])
  })

  test('48: the deadline of an automatic payment is refused by what was sent', async () => {
    const forged = changed(
      ({ payment }) => Object.assign(payment, { deadline: '2090-01-01T00:00:00Z' }),
      automatic,
    )
    await expectRefusedByChain(forged, ['chain: the deadline that was sent'])
  })
})

describe('what is not evidence', () => {
  test.each<[string, (evidence: Evidence) => unknown, string]>([
    ['49: no object', () => [], 'evidence must be an object'],
    ['50: another version', (e) => ({ ...e, version: 2 }), 'evidence.version must be 1'],
    [
      '51: a part that is missing',
      ({ asked: _asked, ...e }) => e,
      'evidence.asked must be an object',
    ],
    [
      '52: asked for nothing',
      (e) => ({ ...e, asked: {} }),
      'evidence.asked.vaultAddress must be an address',
    ],
    [
      '53: a short hash',
      (e) => ({ ...e, report: { ...e.report, reportHash: '0x12' } }),
      'evidence.report.reportHash must be a hash',
    ],
    [
      '54: a hash in capitals',
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
      '58: a deadline that is no time',
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
      '61: recipients that are no list',
      (e) => ({ ...e, policy: { ...e.policy, recipientAddresses: 'all' } }),
      'evidence.policy.recipientAddresses must be a list',
    ],
  ])('%s is named with its field', (_name, change, problem) => {
    expect(shapeProblems(change(honest))).toContainEqual(expect.stringContaining(problem))
  })
})

test('a node without the state of the old block decides nothing', async () => {
  proxy.trouble = ({ method }) =>
    method === 'eth_getCode'
      ? {
          status: 200,
          text: '{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"missing trie node"}}',
        }
      : undefined
  await expect(check(honest)).rejects.toThrow(/missing trie node/)
})

test('the policy on the chain is compared with its lists in any order', async () => {
  const two = [stranger.address.toLowerCase(), payer.recipient.toLowerCase()]
  const other = await openVault(payer, { policy: { recipientAddresses: two } })
  const evidence = await paid(payer, other)
  const reversed = policyOf(payer, { recipientAddresses: [...two].reverse() })
  const stated = { ...evidence, policy: statedPolicy({ ...other, policy: reversed }) }
  expect((await check(stated)).verdict).toBe('verified')
})
