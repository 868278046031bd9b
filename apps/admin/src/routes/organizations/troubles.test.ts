import { expect, test, vi } from 'vitest'
import { troublesOf } from './troubles.ts'

vi.mock('@lingui/core/macro', () => ({ msg: (parts: readonly string[]) => ({ id: parts.join() }) }))

const at = '2026-11-03T11:02:00Z'
const now = new Date(at).getTime() + 180_000

test('stuck payments come with their expense, then expenses that never got a payment', () => {
  const expenses = [
    { id: 'a', state: 'blocked' },
    { id: 'b', state: 'blocked' },
    { id: 'c', state: 'paid' },
  ]
  const payments = [
    { id: 'pa', expenseId: 'a', state: 'blocked' },
    { id: 'pc', expenseId: 'c', state: 'confirmed' },
    { id: 'po', expenseId: 'old', state: 'reconciling' },
  ]
  const supportCases = [{ status: 'resolved' }, { status: 'reopened' }]
  expect(troublesOf({ expenses, payments, attempts: [], supportCases }, now)).toEqual({
    blocked: [
      { expense: expenses[0], payment: payments[0] },
      { expense: undefined, payment: payments[2] },
      { expense: expenses[1] },
    ],
    openCases: [{ status: 'reopened' }],
  })
})

test('a payment that was sent minutes ago and is not mined is stuck, a fresh one is not', () => {
  const payments = ['old', 'new'].map((id) => ({ id, expenseId: id, state: 'broadcast' }))
  const attempts = [
    { paymentId: 'old', createdAt: at },
    { paymentId: 'new', createdAt: new Date(now).toISOString() },
  ]
  const { blocked } = troublesOf({ expenses: [], payments, attempts, supportCases: [] }, now)
  expect(blocked.map(({ payment }) => payment?.id)).toEqual(['old'])
})
