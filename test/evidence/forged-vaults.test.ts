/** Evidence of contracts that are not the vault, or not the expected vault. */
import { checkEvidence } from '@countersign/proof/check-evidence.ts'
import type { Evidence } from '@countersign/proof/evidence.ts'
import { vaultAbi } from '@countersign/proof/vault-artifact.ts'
import {
  type Address,
  concatHex,
  encodeAbiParameters,
  encodeEventTopics,
  getAbiItem,
  type Hex,
} from 'viem'
import { describe, expect, test } from 'vitest'
import { createPaymentWitness } from '#adapters/chain/payment-facts.ts'
import { claimedIn, evidenceFor, paid, payFor } from '#test/support/evidence.ts'
import { creationOf, doctored, immutablePlaces } from '#test/support/hand-made-vault.ts'
import {
  configure,
  deploy,
  fund,
  openVault,
  policyOf,
  randomHash,
  sent,
} from '#test/support/paying-vaults.ts'
import { useStage } from './stage.ts'
import { verdictsBy } from './verdicts.ts'

const stage = useStage()
const { check, expectRefused, expectRefusedByChain } = verdictsBy(() => stage.proxy.url)

const pins = () => ({
  vault: stage.vault.address,
  owner: stage.payer.owner.address,
  organizationHash: stage.vault.organizationHash,
  token: stage.payer.chain.tokenAddress,
})

describe('honest evidence', () => {
  test.each([
    ['with a signature', () => stage.honest],
    ['without one', () => stage.automatic],
  ])('of a payment %s is verified, with every pin and without', async (_name, evidence) => {
    const pinned = await check(evidence(), { pins: pins() })
    expect(pinned.findings.filter(({ holds }) => !holds)).toEqual([])
    expect([pinned.verdict, pinned.unpinned]).toEqual(['verified', []])
    const open = await check(evidence())
    expect([open.verdict, open.unpinned.length]).toEqual(['verified', 4])
  })

  test('without a node is only consistent, and lists what was not checked', async () => {
    const { verdict, unchecked } = await checkEvidence(stage.honest, { pins: pins() })
    expect(verdict).toBe('consistent')
    expect(unchecked).toEqual([
      expect.stringContaining('code'),
      expect.stringContaining('policy'),
      expect.stringContaining('recipient'),
      expect.stringContaining('revoked'),
      expect.stringContaining('period'),
      expect.stringContaining('transaction'),
      expect.stringContaining('token moved'),
      expect.stringContaining('final'),
      expect.stringContaining('deadline'),
      expect.stringContaining('pinned owner'),
    ])
  })

  test('with two nodes that agree is verified, and nothing is left unchecked', async () => {
    const witnesses = [stage.proxy.url, stage.payer.chain.rpcUrl].map(createPaymentWitness)
    const { verdict, unchecked } = await check(stage.honest, { witnesses })
    expect([verdict, unchecked]).toEqual(['verified', []])
  })

  test('of amounts exactly at both caps is verified', async () => {
    const atCap = await paid(stage.payer, stage.vault, { amount: 1_000n })
    expect((await check(atCap)).verdict).toBe('verified')
    const atAutomaticCap = await paid(stage.payer, stage.vault, { mode: 'automatic', amount: 500n })
    expect((await check(atAutomaticCap)).verdict).toBe('verified')
  })

  test('of a payment under an older policy stays verified after the next policy', async () => {
    const other = await openVault(stage.payer)
    const before = await paid(stage.payer, other)
    const next = await configure(stage.payer, other, {
      policy: policyOf(stage.payer, { approvedCap: 600n }),
    })
    expect((await check(before)).verdict).toBe('verified')
    expect((await check(await paid(stage.payer, next, { amount: 600n }))).verdict).toBe('verified')
  })
})

/** Emit any log: two or three topics, then the data. */
const EMITTERS: Record<number, Hex> = {
  2: '0x604036038060405f37602035905f35905fa200',
  3: '0x606036038060605f3760403590602035905f35905fa300',
}

async function deployRuntime(runtime: Hex): Promise<Address> {
  const { contractAddress } = await sent(stage.payer, stage.payer.owner, {
    to: null,
    data: creationOf(runtime),
  })
  return contractAddress as Address
}

const codeOf = async (address: Address): Promise<Hex> =>
  (await stage.payer.chain.client.getCode({ address })) ?? '0x'

/** The vault's log of a payment that it never made. */
function executionLog({ asked, revision, approvals }: Evidence) {
  const event = getAbiItem({ abi: vaultAbi, name: 'PaymentExecuted' })
  const fields = {
    mode: 0,
    amount: BigInt(revision.amountBaseUnits),
    policyVersion: 1n,
    reportHash: asked.reportHash,
    expenseVersionHash: asked.expenseVersionHash,
    approvalDigests: approvals.map(({ digest }) => digest),
    approvers: approvals.map(({ approverAddress }) => approverAddress),
    spentTotal: 700n,
  }
  const args = {
    paymentId: String(asked.chainPaymentId) as Hex,
    recipient: String(asked.recipientAddress) as Hex,
  }
  return {
    topics: encodeEventTopics({ abi: vaultAbi, eventName: 'PaymentExecuted', args }) as Hex[],
    data: encodeAbiParameters(
      event.inputs.filter(({ indexed }) => !indexed),
      Object.values(fields) as never,
    ),
  }
}

describe('a contract that is not the vault', () => {
  test('1: a look-alike that emits the right events is refused by its code', async () => {
    const address = await deployRuntime(EMITTERS[3] as Hex)
    const organizationHash = randomHash()
    // The logs of a genuine vault, repeated by the look-alike.
    const real = await openVault(stage.payer, { organizationHash })
    const { client } = stage.payer.chain
    const configured = await client.getTransactionReceipt({ hash: real.policyTransactionHash })
    const repeat = async ({ topics, data }: { topics: readonly Hex[]; data: Hex }) => {
      await stage.payer.chain.request('hardhat_setCode', address, EMITTERS[topics.length])
      const call = { to: address, data: concatHex([...topics, data]) }
      return sent(stage.payer, stage.payer.owner, call)
    }
    const [policyLog, recipientsLog] = configured.logs
    if (!policyLog || !recipientsLog) throw new Error('The vault did not log both')
    const { transactionHash: policyTransactionHash } = await repeat(policyLog as never)
    const { transactionHash } = await repeat(recipientsLog as never)
    const listing = { ...real.listing, transactionHash }
    const claim = { ...real, address, policyTransactionHash, listing }
    const evidence = await evidenceFor(stage.payer, claim)
    const forged = await repeat(executionLog(evidence))
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
    const genuine = await deploy(stage.payer)
    const code = await codeOf(genuine.address)
    await stage.payer.chain.request('hardhat_setCode', genuine.address, `${code.slice(0, -2)}ff`)
    const copy = await configure(stage.payer, genuine)
    await fund(stage.payer, copy.address)
    await expectRefusedByChain(await paid(stage.payer, copy), [
      "chain: the vault's code is the artifact",
    ])
  })

  test('3: a vault with another owner at one place of its code', async () => {
    const places = immutablePlaces.filter(({ name }) => name === 'owner')
    let configurable = 0
    for (const place of places) {
      const genuine = await deploy(stage.payer)
      const code = await codeOf(genuine.address)
      await stage.payer.chain.request('hardhat_setCode', genuine.address, doctored(code, place))
      const copy = await configure(stage.payer, genuine).catch(() => undefined)
      if (!copy) continue
      configurable += 1
      await fund(stage.payer, copy.address)
      const link = "chain: the vault's code is the artifact"
      await expectRefusedByChain(await paid(stage.payer, copy), [link])
    }
    expect(configurable).toBeGreaterThan(0)
  })

  test('4: the code of a genuine vault copied to another address', async () => {
    const address = await deployRuntime(await codeOf(stage.vault.address))
    const copy = await configure(stage.payer, {
      address,
      organizationHash: stage.vault.organizationHash,
    })
    await fund(stage.payer, copy.address)
    const evidence = await evidenceFor(stage.payer, copy, { mode: 'automatic', amount: 300n })
    await expectRefusedByChain(await payFor(stage.payer, evidence), [
      "chain: the vault's code is the artifact",
    ])
  })

  test('5: a vault deployed after the payment', async () => {
    const early = await deploy(stage.payer)
    const code = await codeOf(early.address)
    await stage.payer.chain.request('hardhat_setCode', early.address, `${code.slice(0, -2)}ff`)
    const fake = await configure(stage.payer, early)
    await fund(stage.payer, fake.address)
    const evidence = await paid(stage.payer, fake)
    await stage.payer.chain.request('hardhat_setCode', early.address, code)
    await stage.payer.chain.request('evm_mine')
    expect(await codeOf(early.address)).toBe(code)
    await expectRefusedByChain(evidence, ["chain: the vault's code is the artifact"])
  })
})

describe('a genuine vault other than the expected one', () => {
  test('6: of another owner, refused by the pinned owner', async () => {
    const stranger = await stage.payer.chain.wallet()
    const theirs = await openVault(stage.payer, {
      owner: stranger,
      organizationHash: stage.vault.organizationHash,
    })
    const { vault: _vault, ...others } = pins()
    await expectRefused(await paid(stage.payer, theirs), ['pin: owner'], { pins: others })
  })

  test('7: at another address, refused by the pinned vault', async () => {
    const other = await openVault(stage.payer, { organizationHash: stage.vault.organizationHash })
    await expectRefused(await paid(stage.payer, other), ['pin: vault'], { pins: pins() })
  })

  test('8: of another organization, refused by the pinned organization hash', async () => {
    const { vault: _vault, ...others } = pins()
    const other = await openVault(stage.payer)
    await expectRefused(await paid(stage.payer, other), ['pin: organization hash'], {
      pins: others,
    })
  })

  test('9: of another token, refused by the pinned token', async () => {
    await expectRefused(stage.honest, ['pin: token'], {
      pins: { token: stage.payer.recipient },
    })
  })

  test("10: with another organization's hash in the bundle", async () => {
    const claim = { ...stage.vault, organizationHash: randomHash() }
    const evidence = await evidenceFor(stage.payer, claim, { mode: 'automatic', amount: 200n })
    await expectRefusedByChain(await payFor(stage.payer, evidence), [
      "chain: the vault's organization",
    ])
  })
})
