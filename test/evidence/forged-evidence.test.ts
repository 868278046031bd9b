/** Forged evidence: every kind is refused, and the finding that refuses it is named. */
import { type Address, concatHex, encodeEventTopics, type Hex, pad } from 'viem'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { createPaymentWitness } from '#adapters/payment-facts.ts'
import { vaultAbi } from '#adapters/vault-artifact.ts'
import { checkEvidence } from '#payments/check-evidence.ts'
import type { Evidence } from '#payments/evidence.ts'
import { type RpcProxy, startRpcProxy } from '#test/chain/rpc-proxy.ts'
import {
  claimedIn,
  configure,
  deploy,
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
} from '#test/support/evidence.ts'
import { creationOf, doctored, immutablePlaces } from '#test/support/hand-made-vault.ts'
import { onlyFor, verdictsBy } from './verdicts.ts'

vi.setConfig({ testTimeout: 30_000, hookTimeout: 60_000 })

let payer: Payer
let proxy: RpcProxy
let vault: PayingVault
let honest: Evidence
let automatic: Evidence

beforeAll(async () => {
  payer = await openPayer()
  proxy = await startRpcProxy(payer.chain.rpcUrl)
  vault = await openVault(payer)
  honest = await paid(payer, vault)
  automatic = await paid(payer, vault, { mode: 'automatic', amount: 300n })
})
afterEach(() => proxy.heal())
afterAll(async () => {
  await proxy.stop()
  await payer.chain.stop()
})

const { check, expectRefused, expectRefusedByChain } = verdictsBy(() => proxy.url)

const pins = () => ({
  vault: vault.address,
  owner: payer.owner.address,
  organizationHash: vault.organizationHash,
  token: payer.chain.tokenAddress,
})

describe('honest evidence', () => {
  test.each([
    ['with a signature', () => honest],
    ['without one', () => automatic],
  ])('of a payment %s is verified, with every pin and without', async (_name, evidence) => {
    const pinned = await check(evidence(), { pins: pins() })
    expect(pinned.findings.filter(({ holds }) => !holds)).toEqual([])
    expect([pinned.verdict, pinned.unpinned]).toEqual(['verified', []])
    const open = await check(evidence())
    expect([open.verdict, open.unpinned.length]).toEqual(['verified', 4])
  })

  test('without a node is consistent only, and says what it could not check', async () => {
    const { verdict, unchecked } = await checkEvidence(honest, { pins: pins() })
    expect(verdict).toBe('consistent')
    expect(unchecked).toEqual([
      expect.stringContaining('code'),
      expect.stringContaining('policy'),
      expect.stringContaining('transaction'),
      expect.stringContaining('token moved'),
      expect.stringContaining('final'),
      expect.stringContaining('deadline'),
      expect.stringContaining('pinned owner'),
    ])
  })

  test('with two nodes that agree is verified, and nothing is left to the word of one', async () => {
    const witnesses = [proxy.url, payer.chain.rpcUrl].map(createPaymentWitness)
    const { verdict, unchecked } = await check(honest, { witnesses })
    expect([verdict, unchecked]).toEqual(['verified', []])
  })

  test('of amounts exactly at both caps is verified', async () => {
    const atCap = await paid(payer, vault, { amount: 1_000n })
    expect((await check(atCap)).verdict).toBe('verified')
    const atAutomaticCap = await paid(payer, vault, { mode: 'automatic', amount: 500n })
    expect((await check(atAutomaticCap)).verdict).toBe('verified')
  })

  test('of a payment under an older policy stays verified after the next policy', async () => {
    const other = await openVault(payer)
    const before = await paid(payer, other)
    const next = await configure(payer, other, { policy: policyOf(payer, { approvedCap: 600n }) })
    expect((await check(before)).verdict).toBe('verified')
    expect((await check(await paid(payer, next, { amount: 600n }))).verdict).toBe('verified')
  })
})

/** Emits whatever it is told: three topics, then the data. */
const EMITTER: Hex = '0x606036038060605f3760403590602035905f35905fa300'

async function deployRuntime(runtime: Hex): Promise<Address> {
  const { contractAddress } = await sent(payer, payer.owner, {
    to: null,
    data: creationOf(runtime),
  })
  return contractAddress as Address
}

const codeOf = async (address: Address): Promise<Hex> =>
  (await payer.chain.client.getCode({ address })) ?? '0x'

describe('a contract that is not the vault', () => {
  test('1: a look-alike that emits the right events is refused by its code', async () => {
    const address = await deployRuntime(EMITTER)
    const organizationHash = randomHash()
    // The logs of a genuine vault, repeated by the look-alike.
    const real = await openVault(payer, { organizationHash })
    const { client } = payer.chain
    const configured = await client.getTransactionReceipt({ hash: real.policyTransactionHash })
    const repeat = async (log: { topics: Hex[]; data: Hex } | undefined) =>
      sent(payer, payer.owner, {
        to: address,
        data: concatHex([...(log?.topics ?? []), log?.data ?? '0x']),
      })
    const policyReceipt = await repeat(configured.logs.at(-1) as never)
    const claim = { ...real, address, policyTransactionHash: policyReceipt.transactionHash }
    const evidence = await evidenceFor(payer, claim)
    const { asked } = evidence
    const [topic] = encodeEventTopics({ abi: vaultAbi, eventName: 'PaymentExecuted' })
    const words = [
      ...['0x0', `0x${BigInt(asked.amountBaseUnits ?? 0).toString(16)}`, '0x1'],
      ...[asked.reportHash, asked.expenseVersionHash, asked.approvalDigest],
      ...[asked.approverAddress, '0x2bc'],
    ]
    const forged = await repeat({
      topics: [
        topic as Hex,
        String(asked.chainPaymentId) as Hex,
        pad(String(asked.recipientAddress) as Hex, { size: 32 }),
      ],
      data: concatHex(words.map((word) => pad(String(word) as Hex, { size: 32 }))),
    })
    const bundle = claimedIn(evidence, forged)
    await expectRefusedByChain(bundle, [
      "chain: the vault's code is the artifact",
      "chain: the token's transfer from vault to recipient",
    ])
    const { findings } = await check(bundle)
    const log = findings.find(({ link }) => link === "chain: the vault's log of this payment")
    expect(log?.holds).toBe(true)
  })

  test('2: a working copy with one byte of its code changed', async () => {
    const genuine = await deploy(payer)
    const code = await codeOf(genuine.address)
    await payer.chain.request('hardhat_setCode', genuine.address, `${code.slice(0, -2)}ff`)
    const copy = await configure(payer, genuine)
    await fund(payer, copy.address)
    await expectRefusedByChain(await paid(payer, copy), ["chain: the vault's code is the artifact"])
  })

  test('3: a vault with another owner at one place of its code', async () => {
    const places = immutablePlaces.filter(({ name }) => name === 'owner')
    let configurable = 0
    for (const place of places) {
      const genuine = await deploy(payer)
      const code = await codeOf(genuine.address)
      await payer.chain.request('hardhat_setCode', genuine.address, doctored(code, place))
      const copy = await configure(payer, genuine).catch(() => undefined)
      if (!copy) continue
      configurable += 1
      await fund(payer, copy.address)
      const link = "chain: the vault's code is the artifact"
      await expectRefusedByChain(await paid(payer, copy), [link])
    }
    expect(configurable).toBeGreaterThan(0)
  })

  test('4: code of a genuine vault at another address, copied byte for byte', async () => {
    const address = await deployRuntime(await codeOf(vault.address))
    const copy = await configure(payer, { address, organizationHash: vault.organizationHash })
    await fund(payer, copy.address)
    const evidence = await evidenceFor(payer, copy, { mode: 'automatic', amount: 300n })
    await expectRefusedByChain(await payFor(payer, evidence), [
      "chain: the vault's code is the artifact",
    ])
  })

  test('5: a vault that was put there after the payment', async () => {
    const early = await deploy(payer)
    const code = await codeOf(early.address)
    await payer.chain.request('hardhat_setCode', early.address, `${code.slice(0, -2)}ff`)
    const fake = await configure(payer, early)
    await fund(payer, fake.address)
    const evidence = await paid(payer, fake)
    await payer.chain.request('hardhat_setCode', early.address, code)
    await payer.chain.request('evm_mine')
    expect(await codeOf(early.address)).toBe(code)
    await expectRefusedByChain(evidence, ["chain: the vault's code is the artifact"])
  })
})

describe('a genuine vault that is not the one meant', () => {
  test('6: of another owner, refused by the pinned owner', async () => {
    const stranger = await payer.chain.wallet()
    const theirs = await openVault(payer, {
      owner: stranger,
      organizationHash: vault.organizationHash,
    })
    const { vault: _vault, ...others } = pins()
    await expectRefused(await paid(payer, theirs), ['pin: owner'], { pins: others })
  })

  test('7: at another address, refused by the pinned vault', async () => {
    const other = await openVault(payer, { organizationHash: vault.organizationHash })
    await expectRefused(await paid(payer, other), ['pin: vault'], { pins: pins() })
  })

  test('8: of another organization, refused by the pinned organization hash', async () => {
    const { vault: _vault, ...others } = pins()
    const other = await openVault(payer)
    await expectRefused(await paid(payer, other), ['pin: organization hash'], { pins: others })
  })

  test('9: of another token, refused by the pinned token', async () => {
    await expectRefused(honest, ['pin: token'], {
      pins: { token: payer.recipient },
    })
  })

  test('10: with the organization hash of another in the bundle', async () => {
    const claim = { ...vault, organizationHash: randomHash() }
    const evidence = await evidenceFor(payer, claim, { mode: 'automatic', amount: 200n })
    await expectRefusedByChain(await payFor(payer, evidence), ["chain: the vault's organization"])
  })
})

describe('a log that is not of this payment', () => {
  const placeOf = ({ event }: Evidence) => ({
    transactionHash: (event?.transactionHash ?? '0x') as Hex,
    blockNumber: BigInt(event?.blockNumber ?? 0),
    blockHash: (event?.blockHash ?? '0x') as Hex,
  })

  test("11: the log of another payment's transaction", async () => {
    const unpaid = await evidenceFor(payer, vault)
    await expectRefusedByChain(claimedIn(unpaid, placeOf(honest)), [
      "chain: the vault's log of this payment",
      "chain: the token's transfer from vault to recipient",
    ])
  })

  test('12: a transaction that no node has', async () => {
    const place = { ...placeOf(honest), transactionHash: randomHash() }
    await expectRefusedByChain(claimedIn(honest, place), ['chain: transaction'])
  })

  test('13: a transaction that was reverted', async () => {
    const again = await sent(payer, payer.executor, { to: vault.address, data: '0x2e1a7d4d' })
    expect(again.status).toBe('reverted')
    const unpaid = await evidenceFor(payer, vault)
    await expectRefusedByChain(claimedIn(unpaid, again), [
      'chain: transaction succeeded',
      "chain: the vault's log of this payment",
    ])
  })

  test('14: another block hash or number than the receipt has', async () => {
    const place = placeOf(honest)
    await expectRefusedByChain(claimedIn(honest, { ...place, blockHash: randomHash() }), [
      'chain: block hash',
    ])
    await expectRefusedByChain(claimedIn(honest, { ...place, blockNumber: 1n }), [
      'chain: block number',
    ])
  })

  test('15: a payment of the past with another amount, every hash made anew', async () => {
    const other = await evidenceFor(payer, vault, { amount: 701n })
    const payment = { ...other.payment }
    expect(payment.chainPaymentId).not.toBe(honest.payment.chainPaymentId)
    await expectRefusedByChain(claimedIn(other, placeOf(honest)), [
      "chain: the vault's log of this payment",
    ])
  })
})

describe('a block that does not count', () => {
  test('16: a block that was replaced by another at its height', async () => {
    proxy.tamper = onlyFor('eth_getBlockByNumber', (block: object, { params }) =>
      params[0] === 'finalized' ? block : { ...block, hash: randomHash() },
    )
    await expectRefused(honest, ['chain: final block'])
  })

  test('17: a block that is not deep enough, and holds exactly at its depth', async () => {
    const head = Number(await payer.chain.client.getBlockNumber({ cacheTime: 0 }))
    const depth = head - (honest.event?.blockNumber ?? 0) + 1
    expect((await check(honest, { confirmations: depth })).verdict).toBe('verified')
    await expectRefused(honest, ['chain: final block'], { confirmations: depth + 1 })
  })

  test('18: a block above what the node calls finalized, or a node that knows no finality', async () => {
    const before = `0x${((honest.event?.blockNumber ?? 1) - 1).toString(16)}`
    proxy.tamper = onlyFor('eth_getBlockByNumber', (block: object, { params }) =>
      params[0] === 'finalized' ? { ...block, number: before } : block,
    )
    await expectRefused(honest, ['chain: final block'])
    proxy.tamper = onlyFor('eth_getBlockByNumber', (block: object, { params }) =>
      params[0] === 'finalized' ? null : block,
    )
    await expectRefused(honest, ['chain: final block'])
    expect((await check(honest, { confirmations: 1 })).verdict).toBe('verified')
  })

  test('19: a payment that a reorganisation took away', async () => {
    const snapshot = await payer.chain.request('evm_snapshot')
    const gone = await paid(payer, vault)
    expect((await check(gone)).verdict).toBe('verified')
    await payer.chain.request('evm_revert', snapshot)
    await expectRefusedByChain(gone, ['chain: transaction'])
  })

  test('20: another chain than the node serves', async () => {
    proxy.tamper = onlyFor('eth_chainId', () => '0x1')
    await expectRefusedByChain(honest, ['chain: the node serves the chain'])
  })

  test('21: one of two nodes that tells another story', async () => {
    proxy.tamper = onlyFor('eth_getCode', () => '0x6001')
    const witnesses = [payer.chain.rpcUrl, proxy.url].map(createPaymentWitness)
    await expectRefused(honest, ['chain: the nodes agree'], { witnesses })
  })
})

describe('money that went elsewhere', () => {
  const transferTo = (change: (log: { topics: Hex[]; data: Hex }) => object) => {
    const token = payer.chain.tokenAddress.toLowerCase()
    proxy.tamper = onlyFor('eth_getTransactionReceipt', (receipt: { logs: never[] }) => ({
      ...receipt,
      logs: receipt.logs.map((log: { address: string; topics: Hex[]; data: Hex }) =>
        log.address.toLowerCase() === token ? { ...log, ...change(log) } : log,
      ),
    }))
  }
  const link = "chain: the token's transfer from vault to recipient"

  test('22: a transfer to another recipient', async () => {
    transferTo(({ topics: [signature, from] }) => ({
      topics: [signature, from, pad(payer.owner.address, { size: 32 })],
    }))
    await expectRefused(honest, [link])
  })

  test('23: a transfer of another amount', async () => {
    transferTo(() => ({ data: pad('0x2bd', { size: 32 }) }))
    await expectRefused(honest, [link])
  })

  test('24: a transfer of another token', async () => {
    transferTo(() => ({ address: payer.recipient }))
    await expectRefused(honest, [link])
  })

  test('25: a transfer before the log, of an earlier payment', async () => {
    transferTo(() => ({ logIndex: '0x0' }))
    proxy.tamper = onlyFor('eth_getTransactionReceipt', (receipt: { logs: object[] }) => ({
      ...receipt,
      logs: [...receipt.logs]
        .reverse()
        .map((log, index) => ({ ...log, logIndex: `0x${index.toString(16)}` })),
    }))
    await expectRefused(honest, [link])
  })
})
