/** Which tasks each state creates for each reader. */
import { describe, expect, test } from 'vitest'
import { type ExpenseState, expenseMachine } from '#expenses/expense.machine.ts'
import {
  type ReaderName,
  readerNames,
  STRANGERS,
  SUBMITTERS,
  tasksFor,
  told,
} from '#test/live/readers.ts'
import { aPayment, NOW } from '#test/live/situations.ts'
import { arrange } from './task.ts'
import type { TaskExpense } from './task-rules.ts'
import { caseTask, operatorTasks } from './tasks.ts'

const expenseStates = Object.keys(expenseMachine.moves) as ExpenseState[]

const EVERY_MANAGER: ReaderName[] = readerNames.filter((name) => !name.includes('employee'))
const OWN_EMPLOYEE: ReaderName[] = readerNames.filter((name) => /submitter, an employee/.test(name))

type Row = {
  of: string
  expense: Partial<TaskExpense>
  /** What every reader who sees it gets, except for those listed below. */
  seen: string
  but?: [readonly ReaderName[], string][]
}

const REVIEW = 'expense: review_report request_revision'
const SIGN = 'expense: prepare_approval sign_approval'
const run = { id: 'a-run', failureCode: 'out_of_tries', updatedAt: NOW }
const preparation = { id: 'an-approval', deadline: NOW, updatedAt: NOW }
const blocked = { state: 'blocked', blockCode: 'token_refused' } as const

const specification: Row[] = [
  {
    of: 'a draft',
    expense: { state: 'draft' },
    seen: '',
    but: [[SUBMITTERS, 'expense in_progress']],
  },
  {
    of: 'an expense that awaits analysis',
    expense: { state: 'analysis_queued' },
    seen: 'expense in_progress',
  },
  { of: 'an expense under analysis', expense: { state: 'analyzing' }, seen: 'expense in_progress' },
  {
    of: 'an expense to review',
    expense: { state: 'needs_review' },
    seen: 'expense in_progress',
    but: [
      [['an owner', 'a manager', 'a manager who signs'], REVIEW],
      [['its submitter, the only manager'], REVIEW],
    ],
  },
  {
    of: 'an expense to revise',
    expense: { state: 'revision_requested' },
    seen: 'expense in_progress',
    but: [[SUBMITTERS, 'expense: revise_expense']],
  },
  {
    of: 'an expense with a hundred revisions',
    expense: { state: 'revision_requested', currentRevision: 100 },
    seen: 'expense in_progress',
  },
  {
    of: 'an expense to sign',
    expense: { state: 'awaiting_approval' },
    seen: 'expense in_progress',
    but: [
      [['a manager who signs', 'its submitter, the only signer'], SIGN],
      [['its submitter, an employee and the only signer'], SIGN],
      [['another employee who signs'], SIGN],
    ],
  },
  {
    of: 'an approval that the reader prepared',
    expense: { state: 'awaiting_approval', preparation },
    seen: 'expense in_progress',
    but: [
      [
        ['a manager who signs', 'its submitter, the only signer'],
        `${SIGN}, approval: sign_approval`,
      ],
      [['its submitter, an employee and the only signer'], `${SIGN}, approval: sign_approval`],
      [['another employee who signs'], `${SIGN}, approval: sign_approval`],
    ],
  },
  {
    of: 'a signed expense that awaits release',
    expense: { state: 'approved_ready_for_payment', payment: aPayment({ state: 'reserved' }) },
    seen: 'expense: queue_payment',
    but: [[OWN_EMPLOYEE, 'expense in_progress']],
  },
  {
    of: 'an automatic expense that awaits release',
    expense: {
      state: 'automatic_ready_for_payment',
      payment: aPayment({ state: 'reserved', mode: 'automatic', isApprovalGood: null }),
    },
    seen: 'expense: queue_payment',
    but: [[OWN_EMPLOYEE, 'expense in_progress']],
  },
  {
    of: 'a released expense',
    expense: { state: 'approved_ready_for_payment', payment: aPayment({ state: 'queued' }) },
    seen: 'expense in_progress',
  },
  {
    of: 'a payment that is being sent',
    expense: { state: 'executing', payment: aPayment({ state: 'submitting' }) },
    seen: 'expense in_progress',
  },
  {
    of: 'a payment that was sent',
    expense: {
      state: 'executing',
      payment: aPayment({ state: 'broadcast', hasOpenAttempt: true }),
    },
    seen: 'expense in_progress',
  },
  {
    of: 'a payment that is reconciling',
    expense: {
      state: 'reconciling',
      payment: aPayment({ state: 'reconciling', hasOpenAttempt: true }),
    },
    seen: 'expense in_progress, payment: reconcile_payment',
    but: [[OWN_EMPLOYEE, 'expense in_progress']],
  },
  {
    of: 'an expense blocked by its analysis',
    expense: { state: 'blocked', blockCode: 'analysis_failed', failedRun: run },
    seen: 'expense: open_support, agent_run: inspect_failure',
  },
  {
    of: 'a blocked payment that may be released again',
    expense: { ...blocked, payment: aPayment() },
    seen: 'expense: queue_payment open_support',
    but: [[OWN_EMPLOYEE, 'expense: open_support']],
  },
  {
    of: 'a failed payment that may be released again',
    expense: { ...blocked, payment: aPayment({ state: 'failed' }) },
    seen: 'expense: queue_payment open_support',
    but: [[OWN_EMPLOYEE, 'expense: open_support']],
  },
  {
    of: 'a blocked payment with a transaction that may still be mined',
    expense: { ...blocked, payment: aPayment({ hasOpenAttempt: true }) },
    seen: 'expense: open_support, payment: reconcile_payment open_support',
    but: [[OWN_EMPLOYEE, 'expense: open_support']],
  },
  {
    of: 'a blocked payment that was executed on chain',
    expense: { ...blocked, payment: aPayment({ blockCode: 'payment_already_executed' }) },
    seen: 'expense: open_support, payment: reconcile_payment open_support',
    but: [[OWN_EMPLOYEE, 'expense: open_support']],
  },
  {
    of: 'a blocked payment whose nonce another transaction used',
    expense: {
      ...blocked,
      payment: aPayment({ blockCode: 'nonce_used_elsewhere', hasOpenAttempt: true }),
    },
    seen: 'expense: queue_payment open_support, payment: reconcile_payment open_support',
    but: [[OWN_EMPLOYEE, 'expense: open_support']],
  },
  { of: 'a paid expense', expense: { state: 'paid' }, seen: 'expense recently_completed' },
  { of: 'a rejected expense', expense: { state: 'rejected' }, seen: 'expense recently_completed' },
  {
    of: 'a cancelled expense',
    expense: { state: 'cancelled' },
    seen: 'expense recently_completed',
  },
]

const cells = specification.flatMap(({ of, expense, seen, but = [] }) =>
  readerNames.map((name) => {
    const exception = but.find(([names]) => names.includes(name))
    const expected = exception?.[1] ?? (STRANGERS.includes(name) ? '' : seen)
    return [of, name, expected || 'nothing', expense] as const
  }),
)

describe('the tasks of each reader', () => {
  test('the table covers every state of an expense', () => {
    const listed = new Set(specification.map(({ expense }) => expense.state))
    expect([...listed].sort()).toEqual([...expenseStates].sort())
  })

  test.each(cells)('for %s, %s: %s', (_of, name, expected, expense) => {
    expect(told(tasksFor(name, expense)) || 'nothing').toBe(expected)
  })

  test('managers see all states but drafts, employees only what they may sign', () => {
    for (const state of expenseStates) {
      for (const name of EVERY_MANAGER) {
        const isSeen = state !== 'draft' || SUBMITTERS.includes(name)
        expect(tasksFor(name, { state }).length > 0, `${state} ${name}`).toBe(isSeen)
      }
      for (const name of STRANGERS) {
        const isSeen = state === 'awaiting_approval' && name === 'another employee who signs'
        expect(tasksFor(name, { state }).length > 0, `${state} ${name}`).toBe(isSeen)
      }
    }
  })
})

const aCase = {
  id: 'a-case',
  organizationId: 'an-organization',
  organizationName: 'Acme',
  subject: 'Where is my money?',
  priority: 3,
  updatedAt: NOW,
}

describe('a support case', () => {
  test.each([
    ['open', 'support_case in_progress', 'support_case: update_support_case'],
    ['investigating', 'support_case in_progress', 'support_case: update_support_case'],
    ['reopened', 'support_case in_progress', 'support_case: update_support_case'],
    ['resolved', 'support_case recently_completed', 'support_case recently_completed'],
  ] as const)('in state %s is to its member: %s; to an operator: %s', (state, member, operator) => {
    expect(told([caseTask({ ...aCase, state }, 'member')])).toBe(member)
    expect(told([caseTask({ ...aCase, state }, 'operator')])).toBe(operator)
  })

  test('names its organization only to operators', () => {
    const open = { ...aCase, state: 'open' } as const
    expect(caseTask(open, 'member').detail).toBe('Support case open, priority high.')
    expect(caseTask(open, 'operator').detail).toContain('Organization: Acme.')
  })
})

describe('an operator has tasks for', () => {
  const stuck = {
    id: 'an-expense',
    organizationId: 'an-organization',
    organizationName: 'Acme',
    currentRevision: 1,
    updatedAt: NOW,
    failedRun: null,
    payment: null,
  }
  const payment = (state: string) => ({ id: 'a-payment', state, blockCode: null, updatedAt: NOW })
  const BOTH = 'inspect_failure update_support_case'
  test.each([
    ['a failed run', { ...stuck, state: 'blocked', failedRun: run }, `agent_run: ${BOTH}`],
    [
      'a blocked payment',
      { ...stuck, state: 'blocked', payment: payment('blocked') },
      `payment: ${BOTH}`,
    ],
    [
      'a failed payment',
      { ...stuck, state: 'blocked', payment: payment('failed') },
      `payment: ${BOTH}`,
    ],
    [
      'a reconciling payment',
      { ...stuck, state: 'reconciling', payment: payment('reconciling') },
      'payment: inspect_failure',
    ],
  ] as const)('for %s', (_name, expense, expected) => {
    expect(told(operatorTasks(expense))).toBe(expected)
  })
})

describe('the order of tasks', () => {
  const at = (minute: number, state: 'open' | 'resolved', reader: 'member' | 'operator') =>
    caseTask(
      { ...aCase, id: `${reader} ${minute}`, state, updatedAt: `2026-05-04T12:0${minute}:00.000Z` },
      reader,
    )

  test('is by group, then newest first', () => {
    const tasks = [
      at(5, 'resolved', 'member'),
      at(1, 'open', 'operator'),
      at(9, 'open', 'member'),
      at(3, 'open', 'operator'),
    ]
    const order = arrange(tasks, { perGroup: 10 }).tasks.map(({ aggregateId }) => aggregateId)
    expect(order).toEqual(['operator 3', 'operator 1', 'member 9', 'member 5'])
  })

  test('is limited per group', () => {
    const tasks = [at(1, 'open', 'operator'), at(2, 'open', 'operator'), at(3, 'open', 'member')]
    const shown = arrange(tasks, { perGroup: 1 })
    expect(shown.tasks.map(({ aggregateId }) => aggregateId)).toEqual(['operator 2', 'member 3'])
    expect(shown.tasksTruncated).toEqual(['needs_action'])
  })
})
