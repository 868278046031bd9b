/** Funding controls at Privy over HTTP: a policy that differs is never verified. */
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { attachControl, controlOf, requestAction, signerOf } from '#test/support/funding.ts'
import { EXPIRES_AT, makePolicy } from '#test/support/privy-funding.ts'
import {
  hurry,
  openPrivyHouse,
  type PrivyHouse,
  type PrivyTreasury,
  startPrivyTreasury,
} from '#test/support/privy-house.ts'
import { outcome } from '#test/support/steps.ts'
import { deployVault } from '#test/support/treasury.ts'

let treasury: PrivyTreasury
let own: PrivyHouse

/** Jobs detach unused signers and probe new ones, which would interfere with the next test. */
const untilQuiet = () =>
  vi.waitFor(async () => {
    const tasks = `('detach_funding', 'probe_funding', 'run_funding_action')`
    const jobs = `select task_identifier from graphile_worker.jobs
      where task_identifier in ${tasks} and run_at < now() + interval '1 minute'`
    expect(await treasury.service.database.asOwner(jobs)).toEqual([])
  }, 20_000)

beforeAll(async () => {
  treasury = await startPrivyTreasury()
  own = await openPrivyHouse(treasury)
})
/** A fresh policy and wallet without a control. */
beforeEach(async () => {
  await untilQuiet()
  await treasury.service.database.asOwner(`update funding_controls set state = 'revoked'`)
  Object.assign(own.wallet, {
    owner_id: treasury.privy.env.PRIVY_OWNER_ID,
    additional_signers: [],
  })
  await own.renewPolicy()
})
afterAll(() => treasury.stop())

test('uses the configured provider', () => {
  const { fundingProvider } = treasury.service.ctx
  expect(fundingProvider?.signerOf({ vaultAddress: '0x' })).toEqual({
    signerId: treasury.privy.funding.signerId,
    policyId: null,
    expiresAt: EXPIRES_AT,
  })
  hurry(treasury)
})

test('a control is verified when Privy holds exactly what was requested', async () => {
  expect(await signerOf(treasury, own.house)).toMatchObject({
    signerId: treasury.privy.funding.signerId,
    policyId: null,
    expiresAt: EXPIRES_AT,
    blockers: ['control_missing'],
  })
  const { status, body } = await own.attach()
  expect([status, body.attachmentState]).toEqual([200, 'verified'])
  expect(body).toMatchObject({
    signerId: treasury.privy.funding.signerId,
    providerPolicyId: own.policy.id,
    expiresAt: EXPIRES_AT,
    readbackAt: expect.any(String),
    failureCode: null,
  })
  expect(own.signers()).toEqual([own.ours()])
  const again = await own.attach()
  expect(again.body).toMatchObject({ id: body.id, attachmentState: 'verified' })
})

test.each<[string, () => void]>([
  [
    'policy_missing',
    () => void treasury.privy.policies.splice(treasury.privy.policies.indexOf(own.policy), 1),
  ],
  [
    'policy_owner_is_signer',
    () => void Object.assign(own.policy, { owner_id: own.ours().signer_id }),
  ],
  ['signer_is_owner', () => void Object.assign(own.wallet, { owner_id: own.ours().signer_id })],
  [
    'policy_amount_differs',
    () => void Object.assign(own.policy.rules[0]?.conditions[4] ?? {}, { value: '0xffff' }),
  ],
])('a control fails with %s before anything is attached', async (failureCode, spoil) => {
  spoil()
  const { status, body } = await own.attach()
  expect([status, body.attachmentState, body.failureCode]).toEqual([200, 'failed', failureCode])
  expect(own.signers()).toEqual([])
  expect(await signerOf(treasury, own.house)).toMatchObject({
    policyStatus: 'invalid',
    blockers: expect.arrayContaining(['control_unverified']),
  })
  expect(outcome(await requestAction(treasury, own.house))).toBe('409 signer_not_ready')
})

test.each<[string, () => void]>([
  [
    'override_policy_missing',
    () => void Object.assign(own.signers()[0] ?? {}, { override_policy_ids: [] }),
  ],
  [
    'override_policy_differs',
    () => void Object.assign(own.signers()[0] ?? {}, { override_policy_ids: ['other'] }),
  ],
  ['signer_missing', () => void own.signers().splice(0)],
])(
  'a control is not verified when it reads back as %s, until that is fixed',
  async (failureCode, spoil) => {
    treasury.privy.meddleAfter('update', spoil)
    const { status, body } = await own.attach()
    expect([status, body.attachmentState, body.failureCode]).toEqual([200, 'attached', failureCode])
    expect(outcome(await requestAction(treasury, own.house))).toBe('409 signer_not_ready')
    const mended = await own.attach()
    expect(mended.body).toMatchObject({ id: body.id, attachmentState: 'verified' })
    expect(own.signers()).toEqual([own.ours()])
  },
)

test.each<[string, () => void]>([
  ['down', () => treasury.privy.setDown(true)],
  ['overloaded', () => treasury.privy.fail('read policy', { status: 429 })],
  ['losing the request', () => treasury.privy.fail('update', 'lost before')],
  ['losing the answer', () => treasury.privy.fail('update', 'lost after')],
])('attaching is 503 with Privy %s, and repeating the request verifies it', async (_w, hurt) => {
  hurt()
  expect(outcome(await own.attach())).toBe('503 dependency_unavailable')
  treasury.privy.setDown(false)
  const left = await controlOf(treasury, own.house)
  expect(left).toMatchObject({ attachmentState: 'pending', readbackAt: null })
  expect((await signerOf(treasury, own.house)).blockers).toContain('provider_unavailable')
  expect(outcome(await requestAction(treasury, own.house))).toBe('409 signer_not_ready')
  const again = await own.attach()
  expect(again.body).toMatchObject({ id: left.id, attachmentState: 'verified' })
  expect(own.signers()).toEqual([own.ours()])
})

test('a control changed at Privy fails at the next request and is detached', async () => {
  await own.attach()
  await untilQuiet()
  Object.assign(own.signers()[0] ?? {}, { override_policy_ids: [] })
  const { body } = await own.attach()
  expect(body).toMatchObject({
    attachmentState: 'failed',
    failureCode: 'override_policy_missing',
  })
  await vi.waitFor(() => expect(own.signers()).toEqual([]), 20_000)
})

test('a control for a second vault is refused while the wallet has the first', async () => {
  await own.attach()
  const second = { ...own.house, vault: await deployVault(treasury, own.house, 'Second') }
  const vaultAddress = second.vault.address.toLowerCase()
  const { id: providerPolicyId } = await makePolicy(treasury.privy, { ...own.rule, vaultAddress })
  const refused = await attachControl(treasury, second, { providerPolicyId })
  expect(outcome(refused)).toBe('409 state_conflict')
  expect(await controlOf(treasury, second)).toBeNull()
  expect(own.signers()).toEqual([own.ours()])
  expect((await own.attach()).body.attachmentState).toBe('verified')
})

test('a control with a new policy replaces the old one and keeps the signer', async () => {
  const first = await own.attach()
  await own.renewPolicy()
  const second = await own.attach()
  expect(second.body).toMatchObject({
    attachmentState: 'verified',
    providerPolicyId: own.policy.id,
  })
  expect(second.body.id).not.toBe(first.body.id)
  await untilQuiet()
  expect(own.signers()).toEqual([own.ours()])
})

test('an unacknowledged attachment is detached when another replaces it', async () => {
  treasury.privy.fail('update', 'lost after')
  expect(outcome(await own.attach())).toBe('503 dependency_unavailable')
  expect(own.signers()).toEqual([own.ours()])
  const none = await own.attach('no-such-policy')
  expect(none.body).toMatchObject({ attachmentState: 'failed', failureCode: 'policy_missing' })
  await vi.waitFor(() => expect(own.signers()).toEqual([]), 20_000)
})
