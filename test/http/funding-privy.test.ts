/** The funding signer at Privy, through HTTP: attached, read back, probed, and never paid twice. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { createPrivyFunding } from '#adapters/privy-funding.ts'
import { createLog } from '#platform/log.ts'
import type { FundingRule } from '#ports/funding-provider.ts'
import { createDump } from '#test/security/dump.ts'
import {
  actionsOf,
  attachControl,
  controlOf,
  type FundingHouse,
  openFundingHouse,
  requestAction,
  signerOf,
  tokensOf,
  untilAction,
} from '#test/support/funding.ts'
import type { EmulatedWallet } from '#test/support/privy-books.ts'
import { type Fault, type PrivyEmulator, startPrivyEmulator } from '#test/support/privy-emulator.ts'
import { configuredFunding, EXPIRES_AT, furnish, makePolicy } from '#test/support/privy-funding.ts'
import type { EmulatedPolicy } from '#test/support/privy-policies.ts'
import { auditTrail, outcome } from '#test/support/steps.ts'
import { startTreasury, type Treasury } from '#test/support/treasury.ts'

const MAX = 3_000n
const lines: string[] = []

let privy: PrivyEmulator
let treasury: Treasury
let house: FundingHouse
let rule: FundingRule
let wallet: EmulatedWallet
let policy: EmulatedPolicy

beforeAll(async () => {
  privy = await startPrivyEmulator()
  const own = { ...privy.funding.env, PRIVY_FUNDING_EXPIRES_AT: EXPIRES_AT }
  const log = createLog({ level: 'trace', destination: { write: (line) => lines.push(line) } })
  treasury = await startTreasury({
    env: { ...privy.env, ...own, FUNDING_MAX_BASE_UNITS: String(MAX) },
    replace: () => ({ log }),
  })
  privy.sendTo(treasury.chain.rpcUrl)
})
afterAll(async () => {
  await treasury.stop()
  await privy.stop()
})

async function open(): Promise<void> {
  house = await openFundingHouse(treasury, { baseUnits: 0n })
  const found = privy.wallets.find(({ external_id: id }) => id === house.wallet.id)
  if (!found) throw new Error('The wallet is not at Privy')
  wallet = found
  const vaultAddress = house.vault.address.toLowerCase()
  rule = { chainId: 31_337, vaultAddress, maxAmount: MAX, expiresAt: EXPIRES_AT }
  policy = await makePolicy(privy, rule)
}

const attach = (providerPolicyId = policy.id) =>
  attachControl(treasury, house, { providerPolicyId })
const signersOf = () => wallet.additional_signers
const ours = () => ({ signer_id: privy.funding.signerId, override_policy_ids: [policy.id] })

test('the provider is the one that is configured', () => {
  const { fundingProvider } = treasury.service.ctx
  expect(fundingProvider?.signerOf({ vaultAddress: '0x' })).toEqual({
    signerId: privy.funding.signerId,
    policyId: null,
    expiresAt: EXPIRES_AT,
  })
  // A change at Privy needs some seconds to bite, which the tests need not wait for.
  treasury.service.ctx.fundingProvider = createPrivyFunding(configuredFunding(privy))
})

describe('a control', () => {
  beforeEach(open)

  test('is verified when Privy has exactly what was asked for', async () => {
    expect(await signerOf(treasury, house)).toMatchObject({
      signerId: privy.funding.signerId,
      policyId: null,
      expiresAt: EXPIRES_AT,
      blockers: ['control_missing'],
    })
    const { status, body } = await attach()
    expect([status, body.attachmentState]).toEqual([200, 'verified'])
    expect(body).toMatchObject({
      signerId: privy.funding.signerId,
      providerPolicyId: policy.id,
      expiresAt: EXPIRES_AT,
      readbackAt: expect.any(String),
      failureCode: null,
    })
    expect(signersOf()).toEqual([ours()])
    const again = await attach()
    expect(again.body).toMatchObject({ id: body.id, attachmentState: 'verified' })
  })

  test.each<[string, () => void]>([
    ['policy_missing', () => void privy.policies.splice(privy.policies.indexOf(policy), 1)],
    ['policy_owner_is_signer', () => void Object.assign(policy, { owner_id: ours().signer_id })],
    ['signer_is_owner', () => void Object.assign(wallet, { owner_id: ours().signer_id })],
    [
      'policy_amount_differs',
      () => void Object.assign(policy.rules[0]?.conditions[4] ?? {}, { value: '0xffff' }),
    ],
  ])('fails as %s before anything is attached', async (failureCode, spoil) => {
    spoil()
    const { status, body } = await attach()
    expect([status, body.attachmentState, body.failureCode]).toEqual([200, 'failed', failureCode])
    expect(signersOf()).toEqual([])
    expect(await signerOf(treasury, house)).toMatchObject({
      policyStatus: 'invalid',
      blockers: expect.arrayContaining(['control_unverified']),
    })
    expect(outcome(await requestAction(treasury, house))).toBe('409 signer_not_ready')
  })

  test.each<[string, () => void]>([
    [
      'override_policy_missing',
      () => void Object.assign(signersOf()[0] ?? {}, { override_policy_ids: [] }),
    ],
    [
      'override_policy_differs',
      () => void Object.assign(signersOf()[0] ?? {}, { override_policy_ids: ['other'] }),
    ],
    ['signer_missing', () => void signersOf().splice(0)],
  ])('is not verified when it is read back as %s; mended it is', async (failureCode, spoil) => {
    privy.meddleAfter('update', spoil)
    const { status, body } = await attach()
    expect([status, body.attachmentState, body.failureCode]).toEqual([200, 'attached', failureCode])
    expect(outcome(await requestAction(treasury, house))).toBe('409 signer_not_ready')
    const mended = await attach()
    expect(mended.body).toMatchObject({ id: body.id, attachmentState: 'verified' })
    expect(signersOf()).toEqual([ours()])
  })

  test.each<[string, () => void]>([
    ['down', () => privy.setDown(true)],
    ['overloaded', () => privy.fail('read policy', { status: 429 })],
    ['lost before the effect', () => privy.fail('update', 'lost before')],
    ['lost after the effect', () => privy.fail('update', 'lost after')],
  ])('with Privy %s is 503, half-made to nobody, and the same again verifies', async (_w, hurt) => {
    hurt()
    expect(outcome(await attach())).toBe('503 dependency_unavailable')
    privy.setDown(false)
    const left = await controlOf(treasury, house)
    expect(left).toMatchObject({ attachmentState: 'pending', readbackAt: null })
    expect((await signerOf(treasury, house)).blockers).toContain('provider_unavailable')
    expect(outcome(await requestAction(treasury, house))).toBe('409 signer_not_ready')
    const again = await attach()
    expect(again.body).toMatchObject({ id: left.id, attachmentState: 'verified' })
    expect(signersOf()).toEqual([ours()])
  })

  test('changed behind our back fails at the next request, and the signer is taken away', async () => {
    await attach()
    Object.assign(signersOf()[0] ?? {}, { override_policy_ids: [] })
    const { body } = await attach()
    expect(body).toMatchObject({
      attachmentState: 'failed',
      failureCode: 'override_policy_missing',
    })
    await vi.waitFor(() => expect(signersOf()).toEqual([]), 20_000)
  })
})

describe('an action', () => {
  beforeAll(async () => {
    await open()
    expect((await attach()).body.attachmentState).toBe('verified')
    const vaultAddress = house.vault.address
    await furnish(treasury.chain, wallet, { vaultAddress, baseUnits: 10_000n })
  })

  const sentFor = (id: string) =>
    privy.transactions.filter(({ reference_id: reference }) => reference === id)

  test.each<[string, Fault[]]>([
    ['at once', []],
    ['after a lost answer', ['lost after']],
    ['after a lost request', ['lost before']],
    ['after 429, 500 and a page', [{ status: 429 }, { status: 500 }, { instead: '<html>' }]],
  ])('a deposit is confirmed by the chain %s, once', async (_when, faults) => {
    const before = await tokensOf(treasury, house.vault.address)
    privy.fail('send', ...faults)
    const asked = await requestAction(treasury, house, { amountBaseUnits: '700' })
    expect(asked.status).toBe(202)
    const done = await untilAction(treasury, house, asked.body.id, 'confirmed')
    const [sent, ...more] = sentFor(asked.body.id)
    expect(more).toEqual([])
    expect(done).toMatchObject({
      transactionHash: sent?.transaction_hash,
      providerReference: sent?.id,
      reconciliationState: 'confirmed',
      balanceBeforeBaseUnits: before.toString(),
      balanceAfterBaseUnits: (before + 700n).toString(),
    })
    expect(await tokensOf(treasury, house.vault.address)).toBe(before + 700n)
  })

  test('a deposit that the policy denies is denied, and nothing is sent', async () => {
    const [, , , , amount] = policy.rules[0]?.conditions ?? []
    const value = amount?.value
    Object.assign(amount ?? {}, { value: '0x1' })
    const asked = await requestAction(treasury, house, { amountBaseUnits: '700' })
    const done = await untilAction(treasury, house, asked.body.id, 'denied')
    Object.assign(amount ?? {}, { value })
    expect(done).toMatchObject({ reconciliationState: 'denied', transactionHash: null })
    expect(sentFor(asked.body.id)).toEqual([])
  })

  test('a probe is denied by the policy, also when the answer is lost once', async () => {
    privy.fail('send', 'lost after')
    const probe = { action: 'withdraw_probe', amountBaseUnits: '1' }
    const asked = await requestAction(treasury, house, probe)
    const done = await untilAction(treasury, house, asked.body.id, 'denied')
    expect(done).toMatchObject({ reconciliationState: 'denied', transactionHash: null })
    expect((await controlOf(treasury, house)).attachmentState).toBe('verified')
  })

  test('a probe that is not denied ends the control, the signer and all deposits', async () => {
    Object.assign(signersOf()[0] ?? {}, { override_policy_ids: [] })
    const before = await tokensOf(treasury, house.vault.address)
    const probe = { action: 'withdraw_probe', amountBaseUnits: '1' }
    const asked = await requestAction(treasury, house, probe)
    const done = await untilAction(treasury, house, asked.body.id, 'failed')
    expect(done.failureCode).toBe('probe_not_denied')
    expect(await controlOf(treasury, house)).toMatchObject({
      attachmentState: 'failed',
      failureCode: 'probe_not_denied',
    })
    await vi.waitFor(() => expect(signersOf()).toEqual([]), 20_000)
    expect(await tokensOf(treasury, house.vault.address)).toBe(before)
    expect(outcome(await requestAction(treasury, house))).toBe('409 signer_not_ready')
    const { body } = await treasury.service.call('GET', `${house.path}/live/snapshot`, {
      token: house.owner.token,
    })
    const told = body.events.filter(
      ({ severity }: { severity: string }) => severity === 'action_required',
    )
    expect(told).toContainEqual(expect.objectContaining({ kind: 'integration.changed' }))
    const trail = await auditTrail(treasury.service.database, house.id)
    expect(trail.map(({ action }) => action)).toContain('funding_control.failed')
  })

  test('all of it is listed', async () => {
    const { body } = await actionsOf(treasury, house)
    expect(body.map(({ state }: { state: string }) => state).sort()).toEqual([
      ...Array<string>(4).fill('confirmed'),
      'denied',
      'denied',
      'failed',
    ])
  })
})

describe('what nobody may see', () => {
  test('the keys and what Privy says stand in no line and in no row', async () => {
    await open()
    const said = `canary${randomUUID()}`
    privy.fail('read policy', { status: 400, body: JSON.stringify({ error: said, code: said }) })
    const refused = await attach()
    expect(outcome(refused)).toBe('503 dependency_unavailable')
    expect(refused.text).not.toContain(said)
    const keys = [privy.funding.env.PRIVY_FUNDING_SIGNER_KEY, privy.env.PRIVY_AUTHORIZATION_KEY]
    const secrets = [
      ...keys.map((key) => String(key).replace('wallet-auth:', '').replace(/=+$/, '')),
      String(privy.env.PRIVY_APP_SECRET),
      said,
    ]
    const dump = JSON.stringify(await (await createDump(treasury.service.database))())
    expect(dump).toContain('funding_controls')
    expect(lines.length).toBeGreaterThan(50)
    const texts = [dump, lines.join('\n')]
    for (const text of texts) expect(secrets.filter((one) => text.includes(one))).toEqual([])
  })
})
