/** The Privy emulator distinguishes owners from signers and enforces policies, as Privy does. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createPrivyFunding } from '#adapters/privy/privy-funding.ts'
import type { AttachedControl, FundingRule } from '#ports/funding-provider.ts'
import { type EmulatedWallet, makeAuthorizationKey } from '#test/support/privy-books.ts'
import { type PrivyEmulator, startPrivyEmulator } from '#test/support/privy-emulator.ts'
import {
  askPrivy,
  configuredFunding,
  EXPIRES_AT,
  openSignerBench,
} from '#test/support/privy-funding.ts'
import type { EmulatedPolicy } from '#test/support/privy-policies.ts'

const rule: FundingRule = {
  chainId: 31_337,
  vaultAddress: `0x${'5a'.repeat(20)}`,
  maxAmount: 1_000n,
  expiresAt: EXPIRES_AT,
}

let privy: PrivyEmulator
let provider: ReturnType<typeof createPrivyFunding>
let wallet: EmulatedWallet
let policy: EmulatedPolicy
let control: AttachedControl

beforeAll(async () => {
  privy = await startPrivyEmulator()
  provider = createPrivyFunding(configuredFunding(privy))
})
beforeEach(async () => {
  ;({ wallet, policy, control } = await openSignerBench(privy, rule))
  privy.seen.length = 0
})
afterAll(() => privy.stop())

const rpc = (keys: string[], change: object = {}) =>
  askPrivy(privy, {
    path: `/v1/wallets/${wallet.id}/rpc`,
    keys,
    body: {
      method: 'eth_sendTransaction',
      caip2: 'eip155:31337',
      params: { transaction: { to: rule.vaultAddress, data: '0x', value: '0x0' } },
      ...change,
    },
  })
const keyOf = (name: 'owner' | 'signer') =>
  String(
    name === 'owner'
      ? privy.env.PRIVY_AUTHORIZATION_KEY
      : privy.funding.env.PRIVY_FUNDING_SIGNER_KEY,
  )

test('distinguishes owners from signers, and a signer can change nothing', async () => {
  await provider.attach(control)
  expect((await rpc([])).status).toBe(401)
  expect((await rpc([makeAuthorizationKey().privateKey])).status).toBe(401)
  expect((await rpc([keyOf('signer')])).body.code).toBe('policy_violation')
  const patch = { method: 'PATCH', path: `/v1/wallets/${wallet.id}` }
  const freed = { additional_signers: [] }
  const mine = [keyOf('signer')]
  expect((await askPrivy(privy, { ...patch, body: freed, keys: mine })).status).toBe(401)
  const policyPath = { method: 'PATCH', path: `/v1/policies/${policy.id}` }
  for (const keys of [[], mine, [keyOf('owner')]]) {
    const body = { rules: [] }
    expect((await askPrivy(privy, { ...policyPath, body, keys })).status).toBe(401)
  }
  expect((await askPrivy(privy, { ...patch, body: freed, keys: [keyOf('owner')] })).status).toBe(
    200,
  )
})

test('rejects malformed requests', async () => {
  await provider.attach(control)
  const forms = [
    { method: 'eth_signTransaction' },
    { caip2: '31337' },
    { params: { transaction: { to: rule.vaultAddress, gasLimit: '0x1' } } },
    { params: { transaction: { to: rule.vaultAddress, value: '1' } } },
    { params: { transaction: { to: rule.vaultAddress, chain_id: 1 } } },
    { reference_id: 'x'.repeat(65) },
    { more: 1 },
  ]
  for (const form of forms) expect((await rpc([keyOf('signer')], form)).status).toBe(400)
})

test('rejects malformed policies and unknown signers or policies', async () => {
  const { id: _id, created_at: _at, ...whole } = policy
  const [{ id: _rule, ...only } = { id: '', name: '', conditions: [] }] = whole.rules
  const good = { ...whole, rules: [only] }
  const post = (body: object) => askPrivy(privy, { path: '/v1/policies', body })
  expect((await post(good)).status).toBe(200)
  const [, , , , , end] = only.conditions
  for (const body of [
    { ...good, rules: [{ ...only, name: 'x'.repeat(50) }] },
    { ...good, rules: [{ ...only, conditions: [{ ...end, value: '0x1' }] }] },
    { ...good, version: '2.0' },
    { ...good, more: 1 },
  ]) {
    const { status, body: said } = await post(body)
    expect([status, said.code]).toEqual([400, 'invalid_policy_format'])
  }
  const patch = { method: 'PATCH', path: `/v1/wallets/${wallet.id}`, keys: [keyOf('owner')] }
  for (const signer of [
    { signer_id: 'nobody', override_policy_ids: [] },
    { signer_id: privy.funding.signerId, override_policy_ids: ['none'] },
    { signer_id: privy.funding.signerId, override_policy_ids: [policy.id, policy.id] },
  ]) {
    const body = { additional_signers: [signer] }
    expect((await askPrivy(privy, { ...patch, body })).status).toBe(400)
  }
})
