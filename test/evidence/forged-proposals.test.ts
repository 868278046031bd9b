/** Evidence of policies that had to wait, with no proposal, another one, or one that did not. */
import type { Evidence } from '@countersign/proof/evidence.ts'
import { secondsToTimestamp } from '@countersign/proof/values.ts'
import { concatHex, type Hex, numberToHex, toFunctionSelector } from 'viem'
import { beforeAll, describe, expect, test } from 'vitest'
import { paid, statedPolicy } from '#test/support/evidence.ts'
import {
  activate,
  openVault,
  type PayingVault,
  policyOf,
  propose,
  randomHash,
  timeOf,
  type WaitingPolicy,
  waitUntil,
} from '#test/support/paying-vaults.ts'
import { useStage } from './stage.ts'
import { onlyFor, verdictsBy } from './verdicts.ts'

const stage = useStage()
const { check, expectRefused, expectRefusedByChain } = verdictsBy(() => stage.proxy.url)

const DELAY = 3_600
const WAITED = 'chain: the policy waited'

let first: PayingVault
let second: PayingVault
/** Under the vault's second policy, which has waited. */
let evidence: Evidence

/** Proposes the policy and puts it into force in the first second in which that is possible. */
async function waited(vault: PayingVault, policy = policyOf(stage.payer, { approvedCap: 900n })) {
  const proposal = await propose(stage.payer, vault, policy)
  await waitUntil(stage.payer, proposal.activatesAtSeconds)
  return activate(stage.payer, vault, { policy, proposal })
}

beforeAll(async () => {
  first = await openVault(stage.payer, { changeDelaySeconds: DELAY })
  second = await waited(first)
  evidence = await paid(stage.payer, second)
})

const withProposal = (from: Evidence, vault: PayingVault, proposal: WaitingPolicy | null) => ({
  ...from,
  policy: statedPolicy({ ...vault, proposal }),
})

const detailOf = async (bundle: Evidence): Promise<string | undefined> =>
  (await check(bundle)).findings.find(({ link }) => link === WAITED)?.detail

describe('honest evidence', () => {
  test('of a policy that has waited is verified', async () => {
    const { verdict, findings } = await check(evidence)
    expect([verdict, findings.filter(({ holds }) => !holds)]).toEqual(['verified', []])
    const until = secondsToTimestamp(second.proposal?.activatesAtSeconds ?? 0)
    expect(await detailOf(evidence)).toBe(`at least 3600 seconds, until ${until}`)
  })

  test("of a vault's first policy is verified without a proposal", async () => {
    const opened = await openVault(stage.payer, { changeDelaySeconds: DELAY })
    const own = await paid(stage.payer, opened)
    expect((await check(own)).verdict).toBe('verified')
    expect(await detailOf(own)).toBe('not needed: it was the first')
    expect(await detailOf(stage.honest)).toBe('not needed: the vault has no delay')
  })

  test('of a policy in the last second before its proposal is void is verified', async () => {
    const opened = await openVault(stage.payer, { changeDelaySeconds: DELAY })
    const policy = policyOf(stage.payer, { approvedCap: 800n })
    const proposal = await propose(stage.payer, opened, policy)
    await waitUntil(stage.payer, proposal.activatesAtSeconds + 604_799)
    const late = await activate(stage.payer, opened, { policy, proposal })
    expect((await check(await paid(stage.payer, late))).verdict).toBe('verified')
  })
})

describe('a proposal', () => {
  test('122: left out is refused', async () => {
    const forged = withProposal(evidence, second, null)
    await expectRefusedByChain(forged, [WAITED])
    expect(await detailOf(forged)).toBe('it had to wait 3600 seconds; no proposal is named')
  })

  test('123: named for a policy that did not wait is refused', async () => {
    const { proposal } = second
    await expectRefusedByChain(withProposal(stage.honest, stage.vault, proposal), [WAITED])
    const opened = await openVault(stage.payer, { changeDelaySeconds: DELAY })
    const own = await paid(stage.payer, opened)
    await expectRefusedByChain(withProposal(own, opened, proposal), [WAITED])
  })

  test('124: of another vault or an unknown transaction is refused', async () => {
    const other = await waited(await openVault(stage.payer, { changeDelaySeconds: DELAY }))
    const { proposal } = second
    if (!proposal || !other.proposal) throw new Error('There is no proposal')
    for (const transactionHash of [other.proposal.transactionHash, randomHash()]) {
      const forged = withProposal(evidence, second, { ...proposal, transactionHash })
      await expectRefusedByChain(forged, [WAITED])
      expect(await detailOf(forged)).toContain('no log of the proposal')
    }
  })

  test('125: of another policy, which this one replaced, is refused', async () => {
    const opened = await openVault(stage.payer, { changeDelaySeconds: DELAY })
    const replaced = await propose(
      stage.payer,
      opened,
      policyOf(stage.payer, { approvedCap: 700n }),
    )
    const next = await waited(opened)
    const own = await paid(stage.payer, next)
    const forged = withProposal(own, next, replaced)
    await expectRefusedByChain(forged, [WAITED])
    expect(await detailOf(forged)).toBe('another policy was proposed')
  })

  test('126: of the same policy that was proposed again later is refused', async () => {
    const opened = await openVault(stage.payer, { changeDelaySeconds: DELAY })
    const policy = policyOf(stage.payer, { approvedCap: 900n })
    const early = await propose(stage.payer, opened, policy)
    await waitUntil(stage.payer, (await timeOf(stage.payer)) + 60)
    const next = await waited(opened, policy)
    expect(next.proposal?.id).toBe(early.id)
    const own = await paid(stage.payer, next)
    expect((await check(own)).verdict).toBe('verified')
    const forged = withProposal(own, next, early)
    await expectRefusedByChain(forged, [WAITED])
    expect(await detailOf(forged)).toBe('it did not wait when the policy came into force')
  })

  test('127: with another moment than the log is refused', async () => {
    const { proposal } = second
    if (!proposal) throw new Error('There is no proposal')
    const activatesAtSeconds = proposal.activatesAtSeconds - 1
    const forged = withProposal(evidence, second, { ...proposal, activatesAtSeconds })
    await expectRefusedByChain(forged, [WAITED])
    expect(await detailOf(forged)).toBe('the log differs from the bundle')
  })

  test('128: of a later block than the policy is refused', async () => {
    const opened = await openVault(stage.payer, { changeDelaySeconds: DELAY })
    const next = await waited(opened)
    const own = await paid(stage.payer, next)
    const later = await propose(stage.payer, next, next.policy)
    const forged = withProposal(own, next, later)
    await expectRefusedByChain(forged, [WAITED])
    const id = next.proposal?.id ?? ''
    expect(await detailOf(withProposal(own, next, { ...later, id }))).toContain('no log')
  })

  const blockOf = async (hash: Hex) => {
    const { blockNumber } = await stage.payer.chain.client.getTransactionReceipt({ hash })
    return numberToHex(blockNumber)
  }

  test('129: that did not wait, by the times of its blocks, is refused', async () => {
    const { proposal } = second
    if (!proposal) throw new Error('There is no proposal')
    const at = await blockOf(second.policyTransactionHash)
    const withTime = (seconds: number) => {
      stage.proxy.tamper = onlyFor('eth_getBlockByNumber', (block: object, { params }) =>
        params[0] === at ? { ...block, timestamp: numberToHex(seconds) } : block,
      )
    }
    withTime(proposal.activatesAtSeconds)
    expect((await check(evidence)).verdict).toBe('verified')
    withTime(proposal.activatesAtSeconds - 1)
    await expectRefused(evidence, [WAITED])
    expect(await detailOf(evidence)).toBe('it waited less than 3600 seconds')
    withTime(proposal.activatesAtSeconds + 604_800)
    await expectRefused(evidence, [WAITED])
    expect(await detailOf(evidence)).toBe('it was void when the policy came into force')
  })

  test('130: that was made later than its moment says is refused', async () => {
    const { proposal } = second
    if (!proposal) throw new Error('There is no proposal')
    const at = await blockOf(proposal.transactionHash)
    stage.proxy.tamper = onlyFor('eth_getBlockByNumber', (block: { timestamp: Hex }, { params }) =>
      params[0] === at ? { ...block, timestamp: numberToHex(Number(block.timestamp) + 1) } : block,
    )
    await expectRefused(evidence, [WAITED])
  })

  test('131: that a node no longer has in force or in its chain is refused', async () => {
    const selector = toFunctionSelector('proposal()')
    stage.proxy.tamper = onlyFor('eth_call', (answer: Hex, { params }) => {
      const { data } = params[0] as { data: string }
      return data.startsWith(selector)
        ? concatHex(Array(4).fill(numberToHex(0, { size: 32 })))
        : answer
    })
    await expectRefused(evidence, [WAITED])
    const at = await blockOf(second.proposal?.transactionHash as Hex)
    stage.proxy.tamper = onlyFor('eth_getBlockByNumber', (block: object, { params }) =>
      params[0] === at ? { ...block, hash: randomHash() } : block,
    )
    await expectRefused(evidence, [WAITED])
  })
})
