/** Evidence of payments that need several signatures, with one removed, doubled or replaced. */
import { checkEvidence } from '@countersign/proof/check-evidence.ts'
import type { Evidence, EvidenceApproval } from '@countersign/proof/evidence.ts'
import { numberToHex, toFunctionSelector } from 'viem'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  claimedIn,
  evidenceFor,
  paid,
  type Signer,
  statedPolicy,
  type Terms,
} from '#test/support/evidence.ts'
import {
  called,
  changeRecipients,
  openVault,
  type PayingVault,
  tieredBy,
} from '#test/support/paying-vaults.ts'
import { placeOf, useStage } from './stage.ts'
import { onlyFor, verdictsBy } from './verdicts.ts'

const stage = useStage()
const { check, expectRefused, expectRefusedByChain } = verdictsBy(() => stage.proxy.url)

let vault: PayingVault
/** 700, which two approvers have signed. */
let double: Evidence

beforeAll(async () => {
  vault = await openVault(stage.payer, { policy: tieredBy(stage.payer) })
  double = await paid(stage.payer, vault)
})

const COUNT = 'as many signatures as the amount needs'
const ORDER = 'approvers ascending, none twice'
const LOG = "chain: the vault's log of this payment"

/** With what was asked for and logged adapted to the signatures, as a forger would. */
function withApprovals(approvals: EvidenceApproval[], from = double): Evidence {
  const signed = {
    approvalDigests: approvals.map(({ digest }) => digest),
    approverAddresses: approvals.map(({ approverAddress }) => approverAddress),
  }
  return {
    ...from,
    approval: approvals[0] ?? null,
    approvals,
    asked: { ...from.asked, ...signed },
    event: from.event && { ...from.event, ...signed },
  }
}

const both = (): [EvidenceApproval, EvidenceApproval] => {
  const [first, second] = double.approvals
  if (!first || !second) throw new Error('There are no two signatures')
  return [first, second]
}

/** Signed for the payment of `double`'s vault, but never sent. */
const signedBy = async (approvers: Signer[], terms: Terms = {}): Promise<Evidence> =>
  claimedIn(await evidenceFor(stage.payer, vault, { ...terms, approvers }), placeOf(double))

describe('honest evidence', () => {
  test.each([
    [600n, 1],
    [601n, 2],
    [900n, 2],
    [901n, 3],
    [1_000n, 3],
  ])('of %d base units is verified with %d signatures', async (amount, count) => {
    const evidence = await paid(stage.payer, vault, { amount })
    expect(evidence.approvals).toHaveLength(count)
    const { verdict, findings } = await check(evidence)
    expect([verdict, findings.filter(({ holds }) => !holds)]).toEqual(['verified', []])
    expect((await checkEvidence(evidence)).verdict).toBe('consistent')
  })

  test('names any of its signatures as the first', async () => {
    const [, second] = both()
    expect((await check({ ...double, approval: second })).verdict).toBe('verified')
  })

  test('stays verified after one of its approvers is revoked', async () => {
    const other = await openVault(stage.payer, { policy: tieredBy(stage.payer) })
    const evidence = await paid(stage.payer, other)
    await called(stage.payer, other, 'revokeApprover', [stage.payer.approver.address])
    expect((await check(evidence)).verdict).toBe('verified')
  })

  test('of a payment to a revoked approver is verified', async () => {
    const [, , third] = stage.payer.approvers
    if (!third) throw new Error('There are no three approvers')
    const payer = { ...stage.payer, recipient: third.address }
    const opened = await openVault(stage.payer, { policy: tieredBy(stage.payer) })
    await called(payer, opened, 'revokeApprover', [third.address])
    const listed = await changeRecipients(payer, opened, { add: [third.address] })
    const evidence = await paid(payer, listed)
    expect(evidence.policy?.approverAddresses).toContain(third.address)
    expect((await check(evidence)).verdict).toBe('verified')
  })
})

describe('a signature', () => {
  test('103: removed from all places is refused, offline too', async () => {
    const [first, second] = both()
    for (const left of [first, second]) {
      const forged = withApprovals([left])
      await expectRefused(forged, [COUNT, LOG])
      expect((await checkEvidence(forged)).verdict).toBe('refused')
    }
  })

  test('104: removed from the list alone is refused', async () => {
    const [first] = both()
    await expectRefused({ ...double, approvals: [first] }, [COUNT, 'asked: digests'])
  })

  test('105: doubled in place of the other is refused', async () => {
    const [first, second] = both()
    await expectRefused(withApprovals([first, first]), [ORDER, LOG])
    await expectRefused(withApprovals([first, second, second]), [COUNT, ORDER])
  })

  test('106: of one approver twice, each over its own digest, is refused', async () => {
    const { approver } = stage.payer
    const forged = await signedBy([approver, approver])
    expect(new Set(forged.approvals.map(({ digest }) => digest)).size).toBe(2)
    await expectRefused(forged, [ORDER, LOG])
  })

  test('107: in descending order is refused', async () => {
    const [first, second] = both()
    await expectRefused(withApprovals([second, first]), [ORDER, LOG])
  })

  test('108: of a non-approver in place of an approver is refused', async () => {
    const { approver } = stage.payer
    const pair = [approver, stage.stranger].sort((a, b) =>
      a.address.toLowerCase() < b.address.toLowerCase() ? -1 : 1,
    )
    const forged = await signedBy(pair)
    await expectRefused(forged, ['approver in the policy', LOG])
    expect((await checkEvidence(forged)).verdict).toBe('refused')
  })

  test('109: of a key that is not the second approver is refused', async () => {
    const [first, second] = both()
    const forged = withApprovals([first, { ...second, signature: first.signature }])
    await expectRefused(forged, ["chain: the approver's signature"])
    const offline = await checkEvidence(forged)
    const failed = offline.findings.filter(({ holds }) => !holds).map(({ link }) => link)
    expect(failed).toEqual(["signature by the approver's key"])
  })

  test('110: more than the amount needs is refused', async () => {
    const forged = await signedBy(stage.payer.approvers)
    expect(forged.approvals).toHaveLength(3)
    await expectRefused(forged, [COUNT, LOG])
  })

  test('111: named as the first but none of all is refused', async () => {
    const { approval } = await signedBy([stage.payer.approver])
    await expectRefused({ ...double, approval }, ['first signature among all'])
    const altered = { ...double, approval: { ...both()[0], digest: both()[1].digest } }
    await expectRefused(altered, ['first signature among all'])
  })

  test('112: removed together with the tier is refused by the chain alone', async () => {
    const { payer } = stage
    const flat = { ...vault, policy: { ...vault.policy, tiers: [] } }
    const unsigned = await evidenceFor(payer, flat, { approvers: [payer.approver] })
    const forged = claimedIn(unsigned, placeOf(double))
    await expectRefusedByChain(forged, ['chain: the policy matches the bundle', LOG])
    const [first] = both()
    const own = { ...withApprovals([first]), policy: statedPolicy(flat) }
    await expectRefusedByChain(own, ['chain: the policy matches the bundle', LOG])
  })

  test('113: of an approver that a node calls revoked at the time is refused', async () => {
    const isApprover = toFunctionSelector('isApprover(uint64,address)')
    stage.proxy.tamper = onlyFor('eth_call', (answer: string, { params }) => {
      const { data } = params[0] as { data: string }
      return data.startsWith(isApprover) ? numberToHex(0, { size: 32 }) : answer
    })
    await expectRefused(double, ['chain: no approver was revoked'])
  })
})
