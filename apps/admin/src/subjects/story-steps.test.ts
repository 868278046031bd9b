import { expect, test } from 'vitest'
import { stepsOf } from './story-steps.ts'

const at = '2026-11-03T11:02:00Z'
type Story = Parameters<typeof stepsOf>[0]

const DRAFT: Story = {
  expense: { state: 'draft', currentRevision: 2, createdAt: at },
  payment: null,
  agentRuns: [],
  approvals: [],
  attempts: [],
  receipt: null,
}
const whens = (story: Story) => stepsOf(story).map(({ when }) => when)
const expense = (state: Story['expense']['state']) => ({ ...DRAFT.expense, state })
const run = (state: 'queued' | 'succeeded' | 'failed', expenseRevision = 2) => ({
  state,
  expenseRevision,
  updatedAt: at,
})
const signed = { state: 'signed' as const, expenseRevision: 2, updatedAt: at }
type State = NonNullable<Story['payment']>['state']
const payment = (state: State, mode: 'approved' | 'automatic' = 'approved') => ({
  state,
  mode,
  createdAt: at,
  updatedAt: at,
  requiredApprovals: mode === 'automatic' ? 0 : 1,
  signedApprovals: mode === 'automatic' ? 0 : 1,
})

test('a draft has only been begun', () => {
  expect(whens(DRAFT)).toEqual(['now', 'next', 'next', 'next', 'next', 'next'])
})

test('a failed analysis stops the story; one of an older revision does not count', () => {
  const story = { ...DRAFT, expense: expense('blocked'), agentRuns: [run('failed')] }
  expect(whens(story)).toEqual(['past', 'failed', 'next', 'next', 'next', 'next'])
  const revised = { ...DRAFT, expense: expense('draft'), agentRuns: [run('failed', 1)] }
  expect(whens(revised)[1]).toBe('next')
})

test('an expense that waits for a signature waits there', () => {
  const story = { ...DRAFT, expense: expense('awaiting_approval'), agentRuns: [run('succeeded')] }
  expect(whens(story)).toEqual(['past', 'past', 'now', 'next', 'next', 'next'])
  expect(whens({ ...story, expense: expense('rejected') })[2]).toBe('failed')
})

test('one of two signatures waits for the other, and fails with the payment', () => {
  const story = {
    ...DRAFT,
    expense: expense('awaiting_approval'),
    agentRuns: [run('succeeded')],
    approvals: [signed],
    payment: { ...payment('reserved'), requiredApprovals: 2 },
  }
  expect(whens(story)).toEqual(['past', 'past', 'now', 'past', 'next', 'next'])
  const both = { ...story, payment: { ...story.payment, signedApprovals: 2 } }
  expect(whens(both)[2]).toBe('past')
  const ended = { ...story, payment: { ...payment('blocked'), requiredApprovals: 2 } }
  expect(whens(ended)[2]).toBe('failed')
})

test('a blocked payment failed where it was to be sent, with or without an attempt', () => {
  const story = {
    ...DRAFT,
    expense: expense('blocked'),
    agentRuns: [run('succeeded')],
    approvals: [signed],
    payment: payment('blocked'),
  }
  expect(whens(story)).toEqual(['past', 'past', 'past', 'past', 'failed', 'next'])
  const expired = { ...story, approvals: [{ ...signed, state: 'expired' as const }] }
  expect(whens(expired)[2]).toBe('failed')
})

test('a payment that is under way is now, and a paid one is past', () => {
  const story = {
    ...DRAFT,
    expense: expense('executing'),
    agentRuns: [run('succeeded')],
    payment: payment('broadcast', 'automatic'),
    attempts: [{ createdAt: at }],
  }
  expect(whens(story)).toEqual(['past', 'past', 'past', 'past', 'now', 'next'])
  const receipt = { status: 'success', confirmedAt: at }
  expect(whens({ ...story, payment: payment('confirmed', 'automatic'), receipt })).toEqual(
    Array(6).fill('past'),
  )
})
