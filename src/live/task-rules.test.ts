/** Actions that are not offered because the command would reject them. */
import { describe, expect, test } from 'vitest'
import { type ExpenseState, expenseMachine } from '#expenses/expense.machine.ts'
import { type PaymentState, paymentMachine } from '#payments/payment.machine.ts'
import { readerNames, tasksFor, told } from '#test/live/readers.ts'
import { aPayment, aTreasury, NOW } from '#test/live/situations.ts'
import type { TaskExpense } from './task-rules.ts'

const expenseStates = Object.keys(expenseMachine.moves) as ExpenseState[]
const paymentStates = Object.keys(paymentMachine.moves) as PaymentState[]

const SIGN = 'expense: prepare_approval sign_approval'
const blocked = { state: 'blocked', blockCode: 'token_refused' } as const
const run = { id: 'a-run', failureCode: 'out_of_tries', updatedAt: NOW }
const preparation = { id: 'an-approval', deadline: NOW, updatedAt: NOW }

describe('no signature is offered', () => {
  const awaiting = { state: 'awaiting_approval' } as const
  const late = '2026-05-04T12:00:59.000Z'
  test.each([
    ['without a report', { expense: { ...awaiting, hasReport: false } }],
    ['for a deactivated recipient', { expense: { ...awaiting, isRecipientActive: false } }],
    ['without a policy', { treasury: aTreasury({ policy: null }) }],
    [
      'with a wallet that the policy does not list',
      { treasury: aTreasury({ policy: { approverAddresses: [] } }) },
    ],
    ['under a paused policy', { treasury: aTreasury({ policy: { paused: true } }) }],
    [
      'less than a minute before the policy expires',
      { treasury: aTreasury({ policy: { expiresAt: late } }) },
    ],
    ['above the cap', { treasury: aTreasury({ policy: { approvedCap: 24_999_999n } }) }],
    ['above the remaining lifetime cap', { treasury: aTreasury({ held: 480_000_000n }) }],
    ['for a recipient that the policy does not list', { treasury: aTreasury({ isListed: false }) }],
    [
      "for more than the vault's balance",
      { treasury: aTreasury({ vault: { balance: 24_999_999n } }) },
    ],
    ['from an archived vault', { treasury: aTreasury({ vault: { archivedAt: NOW } }) }],
    ['from a vault that does not exist', { treasury: undefined }],
  ])('%s', (_name, change) => {
    const { expense = awaiting, ...more } = change as { expense?: Partial<TaskExpense> }
    expect(told(tasksFor('a manager who signs', awaiting))).toBe(SIGN)
    expect(told(tasksFor('a manager who signs', expense, more))).toBe('expense in_progress')
  })
})

describe('no release is offered', () => {
  const releasable = { ...blocked, payment: aPayment() }
  const automatic = aPayment({ mode: 'automatic', isApprovalGood: null, policyVersion: 2 })
  test.each([
    ['a payment of an older revision', aPayment({ isCurrent: false }), {}],
    ['an approval past its deadline', aPayment({ deadline: NOW }), {}],
    ['an approval by a revoked approver', aPayment({ isApprovalGood: false }), {}],
    ['an approval under an older policy', aPayment({ policyVersion: 2 }), {}],
    [
      'a payment that the policy no longer allows',
      aPayment(),
      { treasury: aTreasury({ policy: { paused: true } }) },
    ],
    [
      'a payment above the vault balance',
      aPayment(),
      { treasury: aTreasury({ vault: { balance: 1n } }) },
    ],
    [
      'above the automatic cap',
      automatic,
      { treasury: aTreasury({ policy: { automaticCap: 1n } }) },
    ],
  ])('%s', (_name, payment, more) => {
    expect(told(tasksFor('a manager', releasable))).toBe('expense: queue_payment open_support')
    const after = told(tasksFor('a manager', { ...blocked, payment }, more))
    expect(after).toBe('expense: open_support')
  })

  test('without an executor', () => {
    const payment = aPayment({ state: 'reserved' })
    const waiting = { state: 'approved_ready_for_payment', payment } as const
    expect(told(tasksFor('a manager', waiting, { hasExecutor: false }))).toBe('expense in_progress')
  })

  test('but an automatic payment may use any policy version', () => {
    const again = tasksFor('a manager', { ...blocked, payment: automatic })
    expect(told(again)).toBe('expense: queue_payment open_support')
  })
})

describe('for every combination of payment and expense', () => {
  const all = expenseStates.flatMap((state) =>
    paymentStates.flatMap((paymentState) =>
      [true, false].flatMap((hasOpenAttempt) =>
        readerNames.map((name) => ({
          name,
          tasks: tasksFor(name, {
            state,
            blockCode: state === 'blocked' ? 'token_refused' : null,
            payment: aPayment({ state: paymentState, hasOpenAttempt }),
            preparation,
            failedRun: run,
          }),
        })),
      ),
    ),
  )
  const offered = (id: string) =>
    new Set(
      all
        .filter(({ tasks }) => tasks.some((t) => t.actions.some((a) => a.id === id)))
        .map(({ name }) => name),
    )

  test('only managers are offered automatic payments', () => {
    for (const id of ['queue_payment', 'reconcile_payment', 'review_report', 'request_revision']) {
      expect([...offered(id)].filter((name) => name.includes('employee'))).toEqual([])
    }
  })

  test('only holders of an approver wallet are offered a signature', () => {
    for (const id of ['prepare_approval', 'sign_approval']) {
      const unable = readerNames.filter((name) => !name.includes('sign'))
      expect([...offered(id)].filter((name) => unable.includes(name))).toEqual([])
    }
  })

  test("members are never offered an operator's action", () => {
    expect([...offered('update_support_case')]).toEqual([])
  })

  test('exactly the tasks that need action have actions', () => {
    for (const { tasks } of all) {
      for (const { group, actions } of tasks) {
        expect(actions.length > 0).toBe(group === 'needs_action')
      }
    }
  })

  test('no two tasks share an id', () => {
    for (const { tasks } of all) expect(new Set(tasks.map(({ id }) => id)).size).toBe(tasks.length)
  })
})
