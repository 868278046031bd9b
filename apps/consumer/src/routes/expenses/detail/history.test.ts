import { expect, test } from 'vitest'
import type { Expense, PaymentDetail, Report } from '../expense-types.ts'
import { anApproval, anExpense, aRevision } from '../testing.ts'
import { historyOf } from './history.ts'

const report = {
  createdAt: '2026-11-03T10:32:00.000Z',
  output: { checks: [{ outcome: 'pass' }, { outcome: 'warn' }, { outcome: 'fail' }] },
} as Report

const payment = {
  payment: { state: 'confirmed' },
  attempts: [{ number: 1, createdAt: '2026-11-03T11:01:00.000Z', transactionHash: '0xaa' }],
  receipt: { confirmedAt: '2026-11-03T11:02:00.000Z', transactionHash: '0xaa', blockNumber: 12 },
} as unknown as PaymentDetail

const story = (expense: Partial<Expense>, about: Partial<Parameters<typeof historyOf>[0]> = {}) =>
  historyOf({
    expense: anExpense(expense),
    report: null,
    payment: null,
    isReleaseManual: false,
    ...about,
  })

test('the past is in the order in which it happened', () => {
  const first = aRevision()
  const second = aRevision({
    revision: 2,
    amountBaseUnits: '75000000',
    createdAt: '2026-11-03T10:31:00.000Z',
  })
  const review = {
    revision: 1,
    action: 'request_revision',
    reason: 'the offer said 75',
    accountId: 'ana',
    displayName: 'Ana',
    createdAt: '2026-11-03T10:20:00.000Z',
  } as const
  const { past, now, next } = story(
    {
      state: 'paid',
      revision: second,
      revisions: [second, first],
      reviews: [review],
      approvals: [
        anApproval({ approvalId: 'unsigned', state: 'expired', signedAt: null }),
        anApproval({ state: 'consumed', expenseRevision: 2 }),
      ],
    },
    { report, payment },
  )
  expect(past.map(({ kind }) => kind)).toEqual([
    'written',
    'reviewed',
    'revised',
    'analysed',
    'signed',
    'sent',
    'paid',
  ])
  expect(past[2]).toMatchObject({ differences: [{ field: 'amount' }] })
  expect(past[3]).toMatchObject({ warned: 1, failed: 1 })
  expect(past[4]).toMatchObject({ isVoid: false })
  expect([now, next]).toEqual([null, []])
})

test.each([
  ['draft', 'to_be_sent_for_review', 'analysis review signature payment'],
  ['analyzing', 'in_analysis', 'review signature payment'],
  ['needs_review', 'for_review', 'signature payment'],
  ['revision_requested', 'for_revision', 'analysis review signature payment'],
  ['awaiting_approval', 'for_signature', 'payment'],
  ['approved_ready_for_payment', 'to_be_sent', 'payment'],
  ['executing', 'on_chain', ''],
  ['reconciling', 'looked_for', ''],
  ['blocked', 'blocked', ''],
] as const)('%s waits, and says what follows', (state, kind, following) => {
  const { now, next } = story({ state })
  expect(now?.kind).toBe(kind)
  expect(next.join(' ')).toBe(following)
})

test('an automatic expense skips review and signature', () => {
  const { next } = story({ revision: aRevision({ requestedMode: 'automatic' }) })
  expect(next).toEqual(['analysis', 'payment'])
})

test('a reserved payment waits for its release where that is manual', () => {
  const reserved = {
    ...payment,
    payment: { state: 'reserved' },
    receipt: null,
  } as unknown as PaymentDetail
  const asked = { payment: reserved, isReleaseManual: true }
  expect(story({ state: 'approved_ready_for_payment' }, asked).now?.kind).toBe('for_release')
})

test('an approval that somebody is about to sign is named, a cancelled one is not', () => {
  const prepared = anApproval({ state: 'prepared', signedAt: null })
  const state = 'awaiting_approval'
  const open = (approvals: Expense['approvals']) => story({ state, approvals }).now
  expect(open([prepared])).toMatchObject({ signatures: { open: [prepared], missing: 1 } })
  const cancelled = { ...prepared, cancelled: true }
  expect(open([cancelled])).toMatchObject({ signatures: { open: [] } })
})

test('one of two signatures still waits for the other', () => {
  const approvals = [anApproval()]
  const two = { state: 'awaiting_approval', requiredApprovals: 2, approvals } as const
  expect(story({ ...two, approvals }).now).toMatchObject({
    kind: 'for_signature',
    signatures: { required: 2, missing: 1, signed: approvals },
  })
})

test('a queued payment waits for the end of an exhausted period', () => {
  const postponedUntil = '2026-11-04T00:00:00.000Z'
  const queued = {
    ...payment,
    payment: { state: 'queued', postponedUntil },
    receipt: null,
  } as unknown as PaymentDetail
  const state = 'approved_ready_for_payment'
  expect(story({ state }, { payment: queued }).now).toEqual({
    kind: 'postponed',
    until: postponedUntil,
  })
})

test('a cancelled expense ends with that, and a voided signature is marked', () => {
  const { past, now } = story({
    state: 'cancelled',
    approvals: [anApproval({ state: 'invalidated' })],
  })
  expect(past.map(({ kind }) => kind)).toEqual(['written', 'signed', 'cancelled'])
  expect(past[1]).toMatchObject({ isVoid: true })
  expect(now).toBeNull()
})
