/** Spending periods and tiers, from their preparation to the contract. */
import { vaultAbi } from '@countersign/proof/vault-artifact.ts'
import sql from 'sql-template-tag'
import { decodeFunctionData } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { oneTreasury, stopOneTreasury } from '#test/http/one-treasury.ts'
import { joinSigner } from '#test/support/signing.ts'
import { addRecipient, outcome } from '#test/support/steps.ts'
import {
  configurePolicy,
  deployVault,
  type House,
  openHouse,
  overviewOf,
  preparePolicy,
  provisionExecutor,
  type Treasury,
  type VaultRecord,
} from '#test/support/treasury.ts'
// With the same application and chain.
import '#test/http/policy-outcomes.ts'
import '#test/http/policies-sync.ts'
import '#test/http/recipient-intents.ts'
import '#test/http/intent-lists.ts'

let treasury: Treasury
let house: House
let vault: VaultRecord

const DAILY = { periodSeconds: 86_400, periodCap: '900000', automaticPeriodCap: '300000' }
const TIERS = [
  { above: '100000', approvals: 2 },
  { above: '500000', approvals: 3 },
]
const OFF = { periodSeconds: null, periodCap: null, automaticPeriodCap: null, tiers: [] }

beforeAll(async () => {
  treasury = await oneTreasury()
  house = await openHouse(treasury)
  vault = await deployVault(treasury, house)
  await provisionExecutor(treasury, house)
  await joinSigner(treasury.service, { organization: house }, { wallets: 2 })
  await joinSigner(treasury.service, { organization: house })
})
afterAll(stopOneTreasury)

const prepare = (terms: Record<string, unknown> = {}) =>
  preparePolicy(treasury, house, { vaultId: vault.id, terms })

const configure = (terms: Record<string, unknown> = {}) =>
  configurePolicy(treasury, house, { vaultId: vault.id, terms })

const detail = async () =>
  (
    await treasury.service.call('GET', `${house.path}/vaults/${vault.id}`, {
      token: house.owner.token,
    })
  ).body

const onChain = () =>
  treasury.chain.client.readContract({
    address: vault.address,
    abi: vaultAbi,
    functionName: 'policy',
  })

const intentsOf = () =>
  treasury.service.ctx.db.transaction({ organizationId: house.id }, (tx) =>
    tx.query(sql`select count(*) as n from policy_intents`),
  )

describe('a policy', () => {
  test('that names no limits has none, and shows none of them as changed', async () => {
    const intent = await configure()
    expect(intent).toMatchObject({ ...OFF, kind: 'policy', remainingRecipientChanges: 0 })
    expect(intent).toMatchObject({ activatesAt: null, proposalId: null })
    const { periodSeconds, periodCap, automaticPeriodCap, tiers } = intent.changes
    expect([periodSeconds, periodCap, automaticPeriodCap, tiers]).toEqual([null, null, null, null])
    expect((await overviewOf(treasury, house)).policy).toMatchObject(OFF)
    expect(await detail()).toMatchObject({ policy: OFF, period: null })
  })

  test('with a period and tiers is what the vault enforces', async () => {
    const intent = await configure({ ...DAILY, tiers: TIERS })
    expect(intent).toMatchObject({ ...DAILY, tiers: TIERS, policyVersion: 2 })
    expect(intent.changes).toMatchObject({
      periodSeconds: { from: null, to: 86_400 },
      periodCap: { from: null, to: '900000' },
      automaticPeriodCap: { from: null, to: '300000' },
      tiers: { from: null, to: TIERS },
    })
    expect(await onChain()).toMatchObject({
      periodSeconds: 86_400,
      periodCap: 900_000n,
      automaticPeriodCap: 300_000n,
      tiers: [
        { above: 100_000n, approvals: 2 },
        { above: 500_000n, approvals: 3 },
      ],
    })
    expect((await overviewOf(treasury, house)).policy).toMatchObject({ ...DAILY, tiers: TIERS })
    const { policy, period } = await detail()
    expect(policy).toMatchObject({ ...DAILY, tiers: TIERS })
    expect(period).toMatchObject({
      periodSeconds: 86_400,
      spentBaseUnits: '0',
      automaticSpentBaseUnits: '0',
      reservedBaseUnits: '0',
      remainingBaseUnits: '900000',
      automaticRemainingBaseUnits: '300000',
    })
    expect(period.endsAt).toMatch(/T00:00:00\.000Z$/)
  })

  test('keeps every limit that a client leaves out', async () => {
    const { body } = await prepare({ expiresAt: '2099-06-01T00:00:00Z' })
    expect(body).toMatchObject({ ...DAILY, tiers: TIERS, kind: 'policy' })
    expect(body.changes).toMatchObject({ periodSeconds: null, periodCap: null, tiers: null })
    const { args } = decodeFunctionData({ abi: vaultAbi, data: body.transaction.data })
    expect(args?.[1]).toMatchObject({ periodSeconds: 86_400, periodCap: 900_000n })
    expect(args?.[1]).toMatchObject({ tiers: [{ approvals: 2 }, { approvals: 3 }] })
  })

  test('changes one cap and keeps the rest', async () => {
    const { body } = await prepare({ periodCap: '800000', tiers: TIERS.slice(0, 1) })
    expect(body).toMatchObject({ ...DAILY, periodCap: '800000', tiers: TIERS.slice(0, 1) })
    expect(body.changes).toMatchObject({
      periodSeconds: null,
      periodCap: { from: '900000', to: '800000' },
      automaticPeriodCap: null,
      tiers: { from: TIERS, to: TIERS.slice(0, 1) },
    })
  })

  test('shows limits that are turned off, and the vault forgets them', async () => {
    const intent = await configure({ periodSeconds: null, tiers: null })
    expect(intent).toMatchObject(OFF)
    expect(intent.changes).toMatchObject({
      periodSeconds: { from: 86_400, to: null },
      periodCap: { from: '900000', to: null },
      automaticPeriodCap: { from: '300000', to: null },
      tiers: { from: TIERS, to: null },
    })
    expect(await onChain()).toMatchObject({ periodSeconds: 0, periodCap: 0n, tiers: [] })
  })
})

describe('limits that no vault accepts', () => {
  const five = Array.from({ length: 5 }, (_, n) => ({
    above: String(200_000 + n),
    approvals: n + 2,
  }))

  test.each<[string, Record<string, unknown>]>([
    ['a period below an hour', { ...DAILY, periodSeconds: 3_599 }],
    ['a period above a year', { ...DAILY, periodSeconds: 31_536_001 }],
    ['a period of zero', { ...DAILY, periodSeconds: 0 }],
    ['half a second', { ...DAILY, periodSeconds: 3_600.5 }],
    ['a period that is text', { ...DAILY, periodSeconds: '86400' }],
    ['a period without caps', { periodSeconds: 86_400 }],
    ['a period without the automatic cap', { periodSeconds: 86_400, periodCap: '1' }],
    ['a cap without a period', { periodCap: '1' }],
    ['an automatic cap without a period', { automaticPeriodCap: '1' }],
    ['a cap and no period', { periodSeconds: null, periodCap: '1' }],
    ['more automatic than in all', { ...DAILY, automaticPeriodCap: '900001' }],
    ['a period cap of 2^128', { ...DAILY, periodCap: String(2n ** 128n) }],
    ['a negative period cap', { ...DAILY, periodCap: '-1' }],
    ['one approval in a tier', { tiers: [{ above: '100000', approvals: 1 }] }],
    ['nine approvals in a tier', { tiers: [{ above: '100000', approvals: 9 }] }],
    ['five tiers', { tiers: five }],
    ['tiers in descending order', { tiers: TIERS.toReversed() }],
    ['equal amounts', { tiers: [TIERS[0], { above: '100000', approvals: 3 }] }],
    ['equal approvals', { tiers: [TIERS[0], { above: '500000', approvals: 2 }] }],
    ['a first tier below the automatic cap', { tiers: [{ above: '99999', approvals: 2 }] }],
    ['a tier of 2^128', { tiers: [{ above: String(2n ** 128n), approvals: 2 }] }],
    ['a tier without an amount', { tiers: [{ approvals: 2 }] }],
    ['a tier with something else', { tiers: [{ ...TIERS[0], below: '1' }] }],
    ['tiers that are no list', { tiers: TIERS[0] }],
  ])('%s is 400, and nothing is stored', async (_name, terms) => {
    const before = await intentsOf()
    expect(outcome(await prepare(terms))).toBe('400 validation_failed')
    expect(await intentsOf()).toEqual(before)
  })

  test('the shortest and the longest period are accepted', async () => {
    for (const periodSeconds of [3_600, 31_536_000]) {
      expect((await prepare({ ...DAILY, periodSeconds })).body).toMatchObject({ periodSeconds })
    }
  })
})

describe('tiers that the approvers cannot fill', () => {
  test('are 409 policy_violation above the number of people, however many wallets', async () => {
    // Four wallets of three people.
    const four = [{ above: '100000', approvals: 4 }]
    const before = await intentsOf()
    const refused = await prepare({ tiers: four })
    expect(outcome(refused)).toBe('409 policy_violation')
    expect(refused.body.error.message).toMatch('belong to 3 members, and nobody signs twice')
    const five = await prepare({ tiers: [{ above: '100000', approvals: 5 }] })
    expect(outcome(five)).toBe('409 policy_violation')
    expect(five.body.error.message).toMatch('there are 4 approver wallets')
    expect(await intentsOf()).toEqual(before)
  })

  test('are accepted again as soon as another person is an approver', async () => {
    await joinSigner(treasury.service, { organization: house })
    expect((await prepare({ tiers: [{ above: '100000', approvals: 4 }] })).status).toBe(201)
  })
})

test('an approver who is also a recipient is 409 policy_violation and is named', async () => {
  const other = await openHouse(treasury)
  const { id: vaultId } = await deployVault(treasury, other)
  await provisionExecutor(treasury, other)
  const { address } = other.approverWallet
  await addRecipient(treasury.service, other, { address })
  const refused = await preparePolicy(treasury, other, { vaultId })
  expect(outcome(refused)).toBe('409 policy_violation')
  expect(refused.body.error.message).toMatch(`The vault pays no approver, and ${address}`)
})
