import { expect, test } from 'vitest'
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
  executorAddress: '0xaa',
  approverAddresses: ['0x11'],
  recipientAddresses: ['0x22', '0x33'],
}
const figures = { balanceBaseUnits: '10000', spentTotal: '2000' }

test('the balance above the reserve is the ceiling', () => {
  expect(worstCaseOf(policy, figures)).toEqual({
    executorKey: { perPayment: 50n, today: 9000n, ever: 28000n },
    executorAndApprover: { perPayment: 5000n, today: 9000n, ever: 28000n },
    recipientCount: 2,
  })
})

test('what is left of the lifetime cap is the ceiling if it is less', () => {
  const { executorAndApprover } = worstCaseOf({ ...policy, lifetimeCap: '3000' }, figures)
  expect(executorAndApprover).toEqual({ perPayment: 1000n, today: 1000n, ever: 1000n })
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
    today: 0n,
    ever: 28000n,
  })
})
