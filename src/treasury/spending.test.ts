import { describe, expect, test } from 'vitest'
import type { PolicyRow } from './policies.store.ts'
import { availableFunds, type Spending, spendingRefusal } from './spending.ts'
import type { VaultRow } from './vaults.store.ts'

const EXECUTOR = '0xe'
const RECIPIENT = '0xa'
const NOW = '2026-05-01T12:00:00.000Z'

const vault = (change: Partial<VaultRow> = {}): VaultRow =>
  ({ archivedAt: null, state: 'verified', balance: 1_000n, spentTotal: 0n, ...change }) as VaultRow

const policy = (change: Partial<PolicyRow> = {}): PolicyRow =>
  ({
    executorAddress: EXECUTOR,
    recipientAddresses: [RECIPIENT],
    approvedCap: 100n,
    automaticCap: 50n,
    lifetimeCap: 1_000n,
    reserveFloor: 0n,
    expiresAt: '2026-06-01T00:00:00.000Z',
    automaticEnabled: true,
    paused: false,
    ...change,
  }) as PolicyRow

const spending = (change: Partial<Spending> = {}): Spending => ({
  vault: vault(),
  policy: policy(),
  held: { held: 0n, heldCount: 0 },
  executorAddress: EXECUTOR,
  mode: 'approved',
  amount: 40n,
  recipientAddress: RECIPIENT,
  now: NOW,
  ...change,
})

const holding = (held: bigint) => ({ held, heldCount: 1 })
const codeOf = (change: Partial<Spending> = {}) => spendingRefusal(spending(change))?.code
const messageOf = (change: Partial<Spending> = {}) => spendingRefusal(spending(change))?.message

test('a payment within every rule is not refused', () => {
  expect(spendingRefusal(spending())).toBeUndefined()
  expect(spendingRefusal(spending({ mode: 'automatic' }))).toBeUndefined()
})

test.each<[string, Partial<Spending>, string]>([
  ['an archived vault', { vault: vault({ archivedAt: NOW }) }, 'vault_archived'],
  ['an unverified vault', { vault: vault({ state: 'pending' }) }, 'vault_unverified'],
  ['a vault without a policy', { policy: undefined }, 'policy_missing'],
  ['no active executor', { executorAddress: undefined }, 'executor_not_ready'],
  ['another executor', { executorAddress: '0xf' }, 'policy_violation'],
  ['a paused policy', { policy: policy({ paused: true }) }, 'policy_violation'],
  ['a recipient that is not listed', { recipientAddress: '0xb' }, 'policy_violation'],
  [
    'automatic mode without permission',
    { mode: 'automatic', policy: policy({ automaticEnabled: false }) },
    'policy_violation',
  ],
])('%s is refused', (_name, change, code) => {
  expect(codeOf(change)).toBe(code)
})

test('automatic permission is not needed for a signed payment', () => {
  expect(codeOf({ policy: policy({ automaticEnabled: false }) })).toBeUndefined()
})

test('the policy ends at its very instant', () => {
  const ending = (expiresAt: string) => messageOf({ policy: policy({ expiresAt }) })
  expect(ending('2026-05-01T12:00:00.001Z')).toBeUndefined()
  expect(ending(NOW)).toBe('The policy has expired. Configure a new policy.')
  expect(ending('2026-05-01T11:59:59.999Z')).toBe('The policy has expired. Configure a new policy.')
})

describe('the cap of a payment', () => {
  test.each<[Spending['mode'], bigint]>([
    ['approved', 100n],
    ['automatic', 50n],
  ])('%s: an amount equal to it fits, one unit more does not', (mode, cap) => {
    expect(codeOf({ mode, amount: cap })).toBeUndefined()
    expect(messageOf({ mode, amount: cap + 1n })).toBe(
      `The amount exceeds the ${mode} cap of ${cap}.`,
    )
  })
})

describe('the lifetime cap', () => {
  test.each<[string, bigint, bigint]>([
    ['what was spent', 960n, 0n],
    ['what others hold', 0n, 960n],
    ['both together', 480n, 480n],
  ])('counts %s to the unit', (_name, spentTotal, held) => {
    const near = { vault: vault({ spentTotal, balance: 10_000n }), held: holding(held) }
    expect(codeOf({ ...near, amount: 40n })).toBeUndefined()
    expect(messageOf({ ...near, amount: 41n })).toBe('Only 40 of the lifetime cap remains.')
  })

  test('says zero where more was spent than a new policy allows', () => {
    const over = { vault: vault({ spentTotal: 2_000n }) }
    expect(messageOf(over)).toBe('Only 0 of the lifetime cap remains.')
  })
})

describe('the balance', () => {
  test('must cover the amount, what others hold and the reserve, to the unit', () => {
    const near = { held: holding(500n), policy: policy({ reserveFloor: 460n }) }
    expect(codeOf({ ...near, amount: 40n })).toBeUndefined()
    expect(spendingRefusal(spending({ ...near, amount: 41n }))).toEqual({
      code: 'insufficient_funds',
      message:
        'The vault has 40 available above its reserve and pending payments. ' +
        'Deposit first, or lower the amount.',
    })
  })

  test('says zero where the reserve is above the balance', () => {
    const poor = { vault: vault({ balance: 10n }), policy: policy({ reserveFloor: 20n }) }
    expect(messageOf(poor)).toBe(
      'The vault has 0 available above its reserve and pending payments. ' +
        'Deposit first, or lower the amount.',
    )
  })
})

test('what is available is exactly the largest amount that the funds allow', () => {
  const held = holding(300n)
  const wide = policy({ approvedCap: 10_000n, lifetimeCap: 10_000n, reserveFloor: 100n })
  const free = availableFunds({ vault: vault(), held, policy: wide })
  expect(free).toBe(600n)
  expect(codeOf({ policy: wide, held, amount: free })).toBeUndefined()
  expect(codeOf({ policy: wide, held, amount: free + 1n })).toBe('insufficient_funds')
  const poor = vault({ balance: 350n })
  expect(availableFunds({ vault: poor, held, policy: wide })).toBe(0n)
})
