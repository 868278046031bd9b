import { describe, expect, test } from 'vitest'
import type { PolicyRow } from './policies.store.ts'
import { availableFunds, periodRoom, type Spending, spendingRefusal } from './spending.ts'
import type { VaultRow } from './vaults.store.ts'

const EXECUTOR = '0xe'
const RECIPIENT = '0xa'
const APPROVER = '0xc'
const NOW = '2026-05-01T12:00:00.000Z'

const vault = (change: Partial<VaultRow> = {}): VaultRow =>
  ({ archivedAt: null, state: 'verified', balance: 1_000n, spentTotal: 0n, ...change }) as VaultRow

const policy = (change: Partial<PolicyRow> = {}): PolicyRow =>
  ({
    executorAddress: EXECUTOR,
    approverAddresses: [APPROVER],
    periodSeconds: 0,
    periodCap: 0n,
    automaticPeriodCap: 0n,
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
  held: { held: 0n, heldAutomatic: 0n, heldCount: 0 },
  executorAddress: EXECUTOR,
  mode: 'approved',
  amount: 40n,
  recipientAddress: RECIPIENT,
  recipient: { allowedFrom: NOW, blocked: false },
  period: undefined,
  now: NOW,
  ...change,
})

const holding = (held: bigint, heldAutomatic = 0n) => ({ held, heldAutomatic, heldCount: 1 })
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

describe('the recipient', () => {
  const later = '2026-05-01T12:00:00.001Z'
  const listed = { allowedFrom: NOW, blocked: false }
  const UNLISTED = 'The vault does not list this recipient on chain. Prepare a policy to add it.'
  const HAS_ROLE = 'The vault pays neither its executor nor an approver. Pay another address.'

  test.each<[string, Partial<Spending>, string | undefined]>([
    ['allowed from this very moment on', { recipient: listed }, undefined],
    ['neither listed nor blocked', { recipient: undefined }, UNLISTED],
    ['blocked and not listed', { recipient: { allowedFrom: null, blocked: true } }, UNLISTED],
    [
      'allowed a moment later',
      { recipient: { ...listed, allowedFrom: later } },
      'The vault pays this recipient only from 2026-05-01T12:00:00Z on.',
    ],
    [
      'listed and blocked',
      { recipient: { ...listed, blocked: true } },
      'This recipient is blocked on chain. Only the owner can lift the block.',
    ],
    ['the executor', { recipientAddress: EXECUTOR }, HAS_ROLE],
    ['an approver', { recipientAddress: APPROVER }, HAS_ROLE],
  ])('%s', (_name, change, message) => {
    expect(messageOf(change)).toBe(message)
  })

  test('comes after the cap of a payment and before the sums, as in the contract', () => {
    const unlisted = { recipient: undefined }
    expect(messageOf({ ...unlisted, amount: 101n })).toBe(
      'The amount exceeds the approved cap of 100.',
    )
    expect(messageOf({ ...unlisted, vault: vault({ spentTotal: 1_000n }) })).toBe(UNLISTED)
  })
})

describe('the spending period', () => {
  const daily = policy({ periodSeconds: 86_400, periodCap: 90n, automaticPeriodCap: 60n })
  const paid = (total: bigint, automatic = 0n) => ({
    policy: daily,
    period: { total, automatic, endsAt: '2026-05-02T00:00:00.000Z' },
  })
  const refusalOf = (change: Partial<Spending>) => spendingRefusal(spending(change))

  test.each<[string, Partial<Spending>]>([
    ['what was paid', paid(50n)],
    ['what others hold', { ...paid(0n), held: holding(50n) }],
    ['both together', { ...paid(20n), held: holding(30n) }],
  ])('counts %s against its cap, to the unit', (_name, near) => {
    expect(refusalOf({ ...near, amount: 40n })).toBeUndefined()
    expect(refusalOf({ ...near, amount: 41n })).toEqual({
      code: 'policy_violation',
      blockCode: 'period_cap_exceeded',
      message: 'Only 40 of the period cap of 90 remains. Possible again from 2026-05-02T00:00:00Z.',
      possibleFrom: '2026-05-02T00:00:00.000Z',
    })
  })

  test.each<[string, Partial<Spending>]>([
    ['what was paid automatically', paid(50n, 20n)],
    ['what others hold automatically', { ...paid(20n), held: holding(20n, 20n) }],
    ['both together', { ...paid(20n, 10n), held: holding(10n, 10n) }],
  ])('counts %s against the automatic cap, to the unit', (_name, near) => {
    const automatic = { ...near, mode: 'automatic' as const }
    expect(refusalOf({ ...automatic, amount: 40n })).toBeUndefined()
    expect(refusalOf({ ...automatic, amount: 41n })?.blockCode).toBe('period_cap_exceeded')
  })

  test('the automatic cap does not limit signed payments, nor these the automatic ones', () => {
    expect(refusalOf({ ...paid(60n, 60n), amount: 30n })).toBeUndefined()
    expect(refusalOf({ ...paid(40n, 0n), mode: 'automatic', amount: 50n })).toBeUndefined()
  })

  test('names the automatic cap where that one is exhausted', () => {
    expect(refusalOf({ ...paid(60n, 60n), mode: 'automatic', amount: 1n })?.message).toBe(
      'Only 0 of the automatic period cap of 60 remains. ' +
        'Possible again from 2026-05-02T00:00:00Z.',
    )
  })

  test('waiting does not help a payment that is larger than the cap', () => {
    expect(refusalOf({ ...paid(0n), amount: 91n })).toMatchObject({
      blockCode: 'period_cap_exceeded',
      message: 'The amount exceeds the period cap of 90.',
      possibleFrom: null,
    })
  })

  test('comes after the lifetime cap and before the funds, as in the contract', () => {
    const over = { ...paid(90n), amount: 40n }
    expect(refusalOf({ ...over, vault: vault({ spentTotal: 1_000n }) })?.message).toBe(
      'Only 0 of the lifetime cap remains.',
    )
    expect(refusalOf({ ...over, vault: vault({ balance: 0n }) })?.blockCode).toBe(
      'period_cap_exceeded',
    )
  })

  test('has no room below zero, nor more automatic room than room', () => {
    const held = holding(50n, 50n)
    const period = { total: 80n, automatic: 0n }
    expect(periodRoom({ policy: daily, held, period })).toEqual({
      remaining: 0n,
      automaticRemaining: 0n,
    })
    const room = periodRoom({ policy: daily, held: holding(0n), period })
    expect(room).toEqual({ remaining: 10n, automaticRemaining: 10n })
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
      blockCode: 'insufficient_funds',
      possibleFrom: null,
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
