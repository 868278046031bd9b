import { describe, expect, test } from 'vitest'
import {
  countExecutors,
  type ExecutorFacts,
  judgeExecutor,
  judgeExecutorProvider,
  judgeExecutors,
} from './judge-executor.ts'
import { actionRequired, degraded, type HealthVerdict, healthy } from './service-health.ts'

const active: ExecutorFacts = {
  organizationId: '0198c0de-0000-7000-8000-000000000001',
  providerType: 'local',
  address: `0x${'11'.repeat(20)}`,
  isHeld: false,
  nativeBalanceWei: 5_000_000_000_000_000n,
  paysOwnGas: true,
  balanceAgeSeconds: 300,
  provisioningState: 'active',
  provisioningAgeSeconds: 9_999,
  unrecordedPayments: 0,
}
const unbound = { ...active, address: null, balanceAgeSeconds: null }
const said = ({ severity, code }: HealthVerdict) => [severity, code]

describe("an organization's executor", () => {
  const cases: [string, ExecutorFacts | undefined, unknown[]][] = [
    ['that was never provisioned', undefined, ['healthy', 'not_provisioned']],
    ['with enough gas', active, ['healthy', null]],
    [
      'one wei below the minimum',
      { ...active, nativeBalanceWei: 4_999_999_999_999_999n },
      ['action_required', 'gas_low'],
    ],
    [
      'whose gas a paymaster pays',
      { ...active, nativeBalanceWei: 0n, paysOwnGas: false },
      ['healthy', null],
    ],
    [
      'whose gas balance was never read',
      { ...active, nativeBalanceWei: 0n, balanceAgeSeconds: null },
      ['healthy', null],
    ],
    [
      'whose gas balance is stale',
      { ...active, balanceAgeSeconds: 301 },
      ['degraded', 'gas_unknown'],
    ],
    [
      'whose vaults have unrecorded payments',
      { ...active, unrecordedPayments: 2 },
      ['action_required', 'payments_unrecorded'],
    ],
    [
      'that was never provisioned while a vault paid',
      { ...unbound, provisioningState: null, unrecordedPayments: 1 },
      ['action_required', 'payments_unrecorded'],
    ],
    ['that is held', { ...active, isHeld: true }, ['action_required', 'executor_held']],
    [
      'whose provisioning failed',
      { ...unbound, provisioningState: 'failed' },
      ['action_required', 'provisioning_failed'],
    ],
    [
      'that is being provisioned',
      { ...unbound, provisioningState: 'provisioning', provisioningAgeSeconds: 120 },
      ['healthy', 'provisioning'],
    ],
    [
      'whose provisioning takes too long',
      { ...unbound, provisioningState: 'requested', provisioningAgeSeconds: 121 },
      ['degraded', 'provisioning_slow'],
    ],
  ]
  test.each(cases)('%s', (_what, facts, expected) => {
    expect(said(judgeExecutor(facts))).toEqual(expected)
  })
})

describe('the counts for metrics', () => {
  test('are by gas, of executors that exist', () => {
    const none: ExecutorFacts[] = [unbound]
    const gas = { enough: 0, low: 0, unread: 0, sponsored: 0 }
    expect(countExecutors(none)).toEqual({ executors: { gas, held: 0 }, gasLowestWei: null })
    const all = [
      ...[unbound, active, { ...active, isHeld: true, nativeBalanceWei: 10n ** 20n }],
      { ...active, nativeBalanceWei: 7n },
      { ...active, nativeBalanceWei: 0n, balanceAgeSeconds: null },
      { ...active, nativeBalanceWei: 0n, paysOwnGas: false },
    ]
    expect(countExecutors(all)).toEqual({
      executors: { gas: { enough: 2, low: 1, unread: 1, sponsored: 1 }, held: 1 },
      gasLowestWei: '7',
    })
  })
})

describe('all executors together', () => {
  const fine = healthy('Fine.')
  test('are healthy when all are, or there are none', () => {
    expect(said(judgeExecutors([]))).toEqual(['healthy', null])
    expect(said(judgeExecutors([fine, fine]))).toEqual(['healthy', null])
  })

  test('have the worst severity and are counted', () => {
    const late = degraded('gas_unknown', 'Late.')
    const low = actionRequired('gas_low', 'Low.')
    expect(said(judgeExecutors([fine, late]))).toEqual(['degraded', 'gas_unknown'])
    expect(said(judgeExecutors([low, low]))).toEqual(['action_required', 'gas_low'])
    const mixed = judgeExecutors([fine, late, low])
    expect(said(mixed)).toEqual(['action_required', 'executors_need_attention'])
    expect(mixed.summary).toContain('2 of 3 executors')
  })
})

test('a provider that rejects our credentials needs action, a silent one degrades', () => {
  expect(judgeExecutorProvider('ready')).toBeUndefined()
  expect(judgeExecutorProvider('rejects_credentials')).toMatchObject({
    severity: 'action_required',
    code: 'executor_provider_refuses',
  })
  expect(judgeExecutorProvider('silent')).toMatchObject({
    severity: 'degraded',
    code: 'executor_provider_unavailable',
  })
})
