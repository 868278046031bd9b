import { describe, expect, test } from 'vitest'
import { address, ago, makeFacts, USDC } from '#test/support/facts.ts'
import type { CheckId } from './check.ts'
import { policyChecks } from './policy-checks.ts'

type Change = Parameters<typeof makeFacts>[0]

const resultOf = (id: CheckId, change: Change) =>
  policyChecks.map((check) => check(makeFacts(change))).find((result) => result.id === id)

const automatic = (amount: bigint) => ({ amount, requestedMode: 'automatic' as const })
const approved = (amount: bigint) => ({ amount, requestedMode: 'approved' as const })

const standing = (change: { allowedFrom?: string | null; blocked?: boolean }): Change => ({
  recipient: { standing: { allowedFrom: ago(60), blocked: false, ...change } },
})

/** Balance 20,000, reserved 250, spent 3,000; caps 1,000, 100 and 50,000; reserve floor 500. */
test.each<[CheckId, string, Change, string]>([
  ['policy_present', 'a policy in force', {}, 'pass'],
  ['policy_present', 'no policy', { policy: null }, 'fail'],

  ['policy_in_force', 'months to go', {}, 'pass'],
  ['policy_in_force', 'an hour to go', { policy: { expiresAt: ago(-3600) } }, 'pass'],
  ['policy_in_force', 'a second less than an hour', { policy: { expiresAt: ago(-3599) } }, 'warn'],
  ['policy_in_force', 'a minute to go', { policy: { expiresAt: ago(-60) } }, 'warn'],
  ['policy_in_force', 'a second less than a minute', { policy: { expiresAt: ago(-59) } }, 'fail'],
  ['policy_in_force', 'a second to go', { policy: { expiresAt: ago(-1) } }, 'fail'],
  ['policy_in_force', 'at its expiry', { policy: { expiresAt: ago(0) } }, 'fail'],
  ['policy_in_force', 'a day after its expiry', { policy: { expiresAt: ago(86_400) } }, 'fail'],
  ['policy_in_force', 'a paused policy', { policy: { paused: true } }, 'fail'],
  ['policy_in_force', 'no policy', { policy: null }, 'warn'],

  ['approved_cap', 'the cap itself', { expense: { amount: 1000n * USDC } }, 'pass'],
  ['approved_cap', 'one unit more', { expense: { amount: 1000n * USDC + 1n } }, 'fail'],
  ['approved_cap', 'no policy', { policy: null }, 'warn'],

  ['automatic_enabled', 'automatic payments allowed', {}, 'pass'],
  ['automatic_enabled', 'automatic payments off', { policy: { automaticEnabled: false } }, 'warn'],
  [
    'automatic_enabled',
    'automatic payments off and not requested',
    { expense: approved(1n), policy: { automaticEnabled: false } },
    'pass',
  ],
  ['automatic_enabled', 'no policy', { policy: null }, 'warn'],
  ['automatic_enabled', 'no policy', { policy: null, expense: approved(1n) }, 'pass'],

  ['automatic_cap', 'the cap itself', { expense: automatic(100n * USDC) }, 'pass'],
  ['automatic_cap', 'one unit more', { expense: automatic(100n * USDC + 1n) }, 'warn'],
  [
    'automatic_cap',
    'above the cap, not requested',
    { expense: approved(100n * USDC + 1n) },
    'pass',
  ],
  ['automatic_cap', 'no policy', { policy: null }, 'warn'],

  ['lifetime_cap', 'all of it used', { policy: { lifetimeCap: 3270n * USDC } }, 'pass'],
  ['lifetime_cap', 'one unit too little', { policy: { lifetimeCap: 3270n * USDC - 1n } }, 'fail'],
  ['lifetime_cap', 'no policy', { policy: null }, 'warn'],

  ['promised', 'two payments', {}, 'pass'],
  ['promised', 'nothing', { vault: { promised: 0n, promisedCount: 0 } }, 'pass'],

  ['balance', 'exactly enough', { vault: { balance: 270n * USDC } }, 'pass'],
  ['balance', 'one unit too little', { vault: { balance: 270n * USDC - 1n } }, 'fail'],
  ['balance', 'more reserved than the balance', { vault: { balance: 1n } }, 'fail'],

  ['reserve_floor', 'exactly the reserve left', { vault: { balance: 770n * USDC } }, 'pass'],
  ['reserve_floor', 'one unit below the reserve', { vault: { balance: 770n * USDC - 1n } }, 'fail'],
  ['reserve_floor', 'no policy', { policy: null }, 'warn'],

  ['recipient_in_policy', 'a recipient on the list', {}, 'pass'],
  ['recipient_in_policy', 'another', { recipient: { standing: null } }, 'fail'],
  ['recipient_in_policy', 'one that was removed', standing({ allowedFrom: null }), 'fail'],
  ['recipient_in_policy', 'one that counts from now on', standing({ allowedFrom: ago(0) }), 'pass'],
  ['recipient_in_policy', 'one that still waits', standing({ allowedFrom: ago(-1) }), 'fail'],
  ['recipient_in_policy', 'a blocked one', standing({ blocked: true }), 'fail'],
  ['recipient_in_policy', 'the executor', { policy: { executorAddress: address(3) } }, 'fail'],
  ['recipient_in_policy', 'an approver', { policy: { approverAddresses: [address(3)] } }, 'fail'],
  ['recipient_in_policy', 'no policy', { policy: null }, 'warn'],

  ['executor', 'the one that the policy names', {}, 'pass'],
  ['executor', 'another', { executorAddress: address(9) }, 'fail'],
  ['executor', 'none', { executorAddress: null }, 'fail'],
  ['executor', 'none and no policy', { executorAddress: null, policy: null }, 'fail'],
  ['executor', 'one without a policy', { policy: null }, 'warn'],

  ['vault_usable', 'a vault in use', {}, 'pass'],
  ['vault_usable', 'an archived vault', { vault: { isUsable: false } }, 'fail'],
])('%s: %s', (id, _name, change, outcome) => {
  expect(resultOf(id, change)?.outcome).toBe(outcome)
})

describe('a detail', () => {
  test('gives exact amounts as people write them', () => {
    expect(resultOf('approved_cap', { expense: { amount: 1_000_000_001n } })?.detail).toBe(
      '1,000.000001 USDC is above the cap of 1,000.00 USDC for one payment.',
    )
  })

  test('gives negative amounts with their sign', () => {
    expect(resultOf('reserve_floor', { vault: { balance: 1n } })?.detail).toContain(
      '-269.999999 USDC would remain',
    )
  })

  test('keeps every digit of the largest amounts', () => {
    const amount = (1n << 128n) - 1n
    expect(resultOf('balance', { expense: { amount } })?.detail).toContain(
      '340,282,366,920,938,463,463,374,607,431,768.211455 USDC',
    )
  })

  test('gives days and seconds', () => {
    expect(resultOf('policy_in_force', { policy: { expiresAt: ago(-60) } })?.detail).toBe(
      'The policy expires on 2026-06-15 in 60 seconds, so a payment may come too late.',
    )
  })

  test('counts pending payments', () => {
    expect(resultOf('promised', {})?.detail).toBe(
      '2 pending payments hold 250.00 USDC of this vault.',
    )
    expect(resultOf('promised', { vault: { promised: 1n, promisedCount: 1 } })?.detail).toBe(
      '1 pending payment holds 0.000001 USDC of this vault.',
    )
  })
})
