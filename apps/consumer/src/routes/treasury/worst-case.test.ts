import { describe, expect, test } from 'vitest'
import type { Policy } from './policy-terms.ts'
import { worstCaseOf } from './worst-case.ts'

const policy: Policy = {
  approvedCap: '5000',
  automaticCap: '50',
  lifetimeCap: '30000',
  reserveFloor: '1000',
  expiresAt: '2027-03-01T00:00:00Z',
  automaticEnabled: true,
  paused: false,
  periodSeconds: null,
  periodCap: null,
  automaticPeriodCap: null,
  tiers: [],
  executorAddress: '0xaa',
  approverAddresses: ['0x11'],
  recipientAddresses: ['0x22', '0x33'],
}
const figures = { balanceBaseUnits: '10000', spentTotal: '2000' }

test('the balance above the reserve is the ceiling', () => {
  expect(worstCaseOf(policy, figures)).toEqual({
    executorKey: { perPayment: 50n, perPeriod: null, today: 9000n, ever: 28000n },
    executorAndApprover: { perPayment: 5000n, perPeriod: null, today: 9000n, ever: 28000n },
    executorAndApprovers: null,
    periodSeconds: null,
    recipientCount: 2,
  })
})

test('what is left of the lifetime cap is the ceiling if it is less', () => {
  const { executorAndApprover } = worstCaseOf({ ...policy, lifetimeCap: '3000' }, figures)
  expect(executorAndApprover).toEqual({
    perPayment: 1000n,
    perPeriod: null,
    today: 1000n,
    ever: 1000n,
  })
})

test.each<[string, Partial<Policy>]>([
  ['automatic payments are off', { automaticEnabled: false }],
  ['their cap is zero', { automaticCap: '0' }],
])('an executor key alone takes nothing while %s', (_when, change) => {
  expect(worstCaseOf({ ...policy, ...change }, figures).executorKey).toBeNull()
})

test.each<[string, Partial<Policy>]>([
  ['the policy is paused', { paused: true }],
  ['nobody is listed', { recipientAddresses: [] }],
  ['the lifetime cap is used up', { lifetimeCap: '2000' }],
])('nothing can be taken while %s', (_when, change) => {
  const { executorKey, executorAndApprover } = worstCaseOf({ ...policy, ...change }, figures)
  expect([executorKey, executorAndApprover]).toEqual([null, null])
})

test('an empty vault loses nothing today, and what is deposited later is at risk', () => {
  const empty = { ...figures, balanceBaseUnits: '500' }
  expect(worstCaseOf(policy, empty).executorAndApprover).toEqual({
    perPayment: 5000n,
    perPeriod: null,
    today: 0n,
    ever: 28000n,
  })
})

describe('a spending period', () => {
  const limited = { ...policy, periodSeconds: 86_400, periodCap: '800', automaticPeriodCap: '30' }

  test('limits how fast it goes, and with it the largest payment', () => {
    const { executorKey, executorAndApprover } = worstCaseOf(limited, figures)
    expect(executorKey).toMatchObject({ perPayment: 30n, perPeriod: 30n, today: 9000n })
    expect(executorAndApprover).toMatchObject({ perPayment: 800n, perPeriod: 800n })
  })

  test('whose automatic cap is zero leaves an executor key nothing', () => {
    const { executorKey } = worstCaseOf({ ...limited, automaticPeriodCap: '0' }, figures)
    expect(executorKey).toBeNull()
  })
})

describe('tiers', () => {
  const tiers = [
    { above: '1000', approvals: 2 },
    { above: '4000', approvals: 3 },
  ]

  test('leave one approver the amounts below the first, and name how many take all', () => {
    const worst = worstCaseOf({ ...policy, tiers }, figures)
    expect(worst.executorAndApprover).toMatchObject({ perPayment: 1000n })
    expect(worst.executorAndApprovers).toMatchObject({
      approvers: 3,
      loss: { perPayment: 5000n },
    })
  })

  test('above the cap of a payment change nothing', () => {
    const out = { ...policy, tiers: [{ above: '5000', approvals: 2 }] }
    expect(worstCaseOf(out, figures).executorAndApprovers).toBeNull()
  })
})
