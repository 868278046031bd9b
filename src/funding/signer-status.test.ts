import { describe, expect, test } from 'vitest'
import { addSeconds, systemClock } from '#platform/clock.ts'
import type { ControlRow } from './controls.store.ts'
import { type SignerFacts, toSignerStatus } from './signer-status.ts'

const now = systemClock.now()
const VAULT = `0x${'ab'.repeat(20)}`

const verified: ControlRow = {
  id: '01890000-0000-7000-8000-000000000001',
  organizationId: '01890000-0000-7000-8000-000000000002',
  vaultId: '01890000-0000-7000-8000-000000000003',
  accountId: '01890000-0000-7000-8000-000000000004',
  walletId: '01890000-0000-7000-8000-000000000005',
  provider: 'local',
  policyId: 'bound-policy',
  signerId: 'bound-signer',
  state: 'verified',
  chainId: 31_337,
  vaultAddress: VAULT,
  maxAmount: 1_000n,
  expiresAt: addSeconds(now, 60).toISOString(),
  reference: Buffer.alloc(1),
  readbackAt: now.toISOString(),
  failureCode: null,
  allowance: 1_000n,
  balance: 1n,
  gasWei: 1n,
  isProviderSilent: false,
  createdAt: now.toISOString(),
}

const facts: SignerFacts = {
  now,
  chainId: 31_337,
  maxAmount: 5_000n,
  signer: { signerId: 'own-signer', policyId: 'own-policy', expiresAt: null },
  isConfigured: true,
  vault: { address: VAULT, state: 'verified' },
  control: verified,
  isDepositor: true,
  roles: [],
}

const statusOf = (changed: Partial<SignerFacts>, control: Partial<ControlRow> = {}) => {
  const { signerStatus, policyStatus, blockers } = toSignerStatus({
    ...facts,
    ...('control' in changed ? {} : { control: { ...verified, ...control } }),
    ...changed,
  })
  return [signerStatus, policyStatus, ...blockers].join(' ')
}

describe("the signer's status", () => {
  test('has no blockers when everything is in place', () => {
    expect(statusOf({})).toBe('attached verified')
  })

  test.each<[string, Partial<SignerFacts>, Partial<ControlRow>, string]>([
    [
      'nothing',
      { isConfigured: false, vault: undefined, control: undefined, signer: undefined },
      {},
      'unavailable unavailable signer_not_configured no_vault',
    ],
    ['no vault', { vault: undefined, control: undefined }, {}, 'not_attached unavailable no_vault'],
    [
      'a vault that is not verified',
      { vault: { address: VAULT, state: 'disabled' }, control: undefined },
      {},
      'not_attached unavailable vault_unverified control_missing',
    ],
    ['no control', { control: undefined }, {}, 'not_attached unavailable control_missing'],
    [
      'a requested control',
      {},
      { state: 'pending', allowance: null, balance: null, gasWei: null },
      'unverified unverified control_unverified allowance_missing wallet_unfunded',
    ],
    [
      'a control that reads back differently',
      {},
      { state: 'attached', failureCode: 'policy_rule_differs' },
      'attached invalid control_unverified',
    ],
    [
      'a failed control',
      {},
      { state: 'failed', failureCode: 'probe_not_denied' },
      'not_attached invalid control_unverified',
    ],
    [
      'a wallet without its role',
      { isDepositor: false },
      {},
      'attached verified control_unverified',
    ],
    ['an expired policy', {}, { expiresAt: now.toISOString() }, 'attached expired policy_expired'],
    ['no allowance', {}, { allowance: 0n }, 'attached verified allowance_missing'],
    ['no tokens', {}, { balance: 0n }, 'attached verified wallet_unfunded'],
    ['no gas', {}, { gasWei: 0n }, 'attached verified wallet_unfunded'],
    [
      'a silent provider',
      {},
      { isProviderSilent: true },
      'unavailable unavailable provider_unavailable',
    ],
  ])('names the blockers for %s', (_what, changed, control, status) => {
    expect(statusOf(changed, control)).toBe(status)
  })

  test("has the control's ids and rule, or the deployment's before there is one", () => {
    expect(toSignerStatus(facts)).toMatchObject({
      signerId: 'bound-signer',
      policyId: 'bound-policy',
      maxAmountBaseUnits: '1000',
      expiresAt: verified.expiresAt,
    })
    const own = {
      signerId: 'own-signer',
      policyId: 'own-policy',
      maxAmountBaseUnits: '5000',
      expiresAt: null,
    }
    expect(toSignerStatus({ ...facts, control: undefined })).toMatchObject(own)
    const failed = { ...verified, state: 'failed', failureCode: 'signer_missing' } as const
    expect(toSignerStatus({ ...facts, control: failed })).toMatchObject({
      signerId: 'own-signer',
      policyId: 'own-policy',
    })
  })
})
