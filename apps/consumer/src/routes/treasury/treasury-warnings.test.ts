import { expect, test } from 'vitest'
import { type VaultFacts, warningsOf } from './treasury-warnings.ts'

const now = new Date('2026-11-16T12:00:00Z')
const policy = {
  expiresAt: '2027-03-01T00:00:00Z',
  paused: false,
  reserveFloor: '100',
} as NonNullable<VaultFacts['policy']>
const none = {
  missingRecipients: [],
  extraRecipients: [],
  missingApprovers: [],
  extraApprovers: [],
  executorDiffers: false,
}
const vault: VaultFacts = {
  policy,
  differences: none,
  balanceBaseUnits: '1000',
  archivedAt: null,
}
const executor = {
  address: '0xaa',
  providerType: 'local',
  nativeBalanceWei: '1000000000000000000',
} as unknown as NonNullable<Parameters<typeof warningsOf>[1]>
const ids = (facts: Partial<VaultFacts>, gas = executor) =>
  warningsOf({ ...vault, ...facts }, gas, now).map(({ id }) => id)

test('a healthy treasury has none, nor has one without a policy', () => {
  expect(ids({})).toEqual([])
  expect(ids({ policy: null })).toEqual([])
})

test.each<[string, Partial<VaultFacts>]>([
  ['expired', { policy: { ...policy, expiresAt: '2026-11-16T12:00:00Z' } }],
  ['expires_soon', { policy: { ...policy, expiresAt: '2026-11-20T00:00:00Z' } }],
  ['paused', { policy: { ...policy, paused: true } }],
  ['extra_approvers', { differences: { ...none, extraApprovers: ['0x1'] } }],
  ['extra_recipients', { differences: { ...none, extraRecipients: ['0x1'] } }],
  ['missing_recipients', { differences: { ...none, missingRecipients: ['0x1'] } }],
  ['missing_approvers', { differences: { ...none, missingApprovers: ['0x1'] } }],
  ['executor_differs', { differences: { ...none, executorDiffers: true } }],
  ['below_reserve', { balanceBaseUnits: '100' }],
])('%s', (id, facts) => {
  expect(ids(facts)).toEqual([id])
})

test('an executor that pays its own gas needs some', () => {
  expect(ids({}, { ...executor, nativeBalanceWei: '4999999999999999' })).toEqual(['gas_low'])
  const sponsored = { ...executor, providerType: 'developer_controlled_wallet' as const }
  expect(ids({}, { ...sponsored, nativeBalanceWei: '0' })).toEqual([])
})

test('a revoked key comes before a recipient that waits', () => {
  const differences = {
    ...none,
    missingRecipients: ['0x1' as const],
    extraApprovers: ['0x2' as const],
  }
  expect(ids({ differences })).toEqual(['extra_approvers', 'missing_recipients'])
})
