/** The tasks of each state for each reader. */
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
import type { TaskExpense } from './task-rules.ts'
import { arrange, caseTask, operatorTasks } from './tasks.ts'

const expenseStates = Object.keys(expenseMachine.moves) as ExpenseState[]

const EVERY_MANAGER: ReaderName[] = readerNames.filter((name) => !name.includes('employee'))
const OWN_EMPLOYEE: ReaderName[] = readerNames.filter((name) => /submitter, an employee/.test(name))

type Row = {
  of: string
  expense: Partial<TaskExpense>
  /** The tasks of all who see it, except for those below. */
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
    of: 'what waits for analysis',
    expense: { state: 'analysis_queued' },
    seen: 'expense in_progress',
  },
  { of: 'what is analysed', expense: { state: 'analyzing' }, seen: 'expense in_progress' },
  {
    of: 'what must be reviewed',
    expense: { state: 'needs_review' },
    seen: 'expense in_progress',
    but: [
      [['an owner', 'a manager', 'a manager who signs'], REVIEW],
      [['its submitter, the only manager'], REVIEW],
    ],
  },
  {
    of: 'what must be revised',
    expense: { state: 'revision_requested' },
    seen: 'expense in_progress',
    but: [[SUBMITTERS, 'expense: revise_expense']],
  },
  {
    of: 'what was revised a hundred times',
    expense: { state: 'revision_requested', currentRevision: 100 },
    seen: 'expense in_progress',
  },
  {
    of: 'what must be signed',
    expense: { state: 'awaiting_approval' },
    seen: 'expense in_progress',
    but: [
      [['a manager who signs', 'its submitter, the only signer'], SIGN],
      [['its submitter, an employee and the only signer'], SIGN],
      [['another employee who signs'], SIGN],
    ],
  },
  {
    of: 'what the reader has prepared',
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
    of: 'what is signed and waits for its release',
    expense: { state: 'approved_ready_for_payment', payment: aPayment({ state: 'reserved' }) },
    seen: 'expense: queue_payment',
    but: [[OWN_EMPLOYEE, 'expense in_progress']],
  },
  {
    of: 'what the policy cleared and waits for its release',
    expense: {
      state: 'automatic_ready_for_payment',
      payment: aPayment({ state: 'reserved', mode: 'automatic', isApprovalGood: null }),
    },
    seen: 'expense: queue_payment',
    but: [[OWN_EMPLOYEE, 'expense in_progress']],
  },
  {
    of: 'what is released',
    expense: { state: 'approved_ready_for_payment', payment: aPayment({ state: 'queued' }) },
    seen: 'expense in_progress',
  },
  {
    of: 'what is being sent',
    expense: { state: 'executing', payment: aPayment({ state: 'submitting' }) },
    seen: 'expense in_progress',
  },
  {
    of: 'what was sent',
    expense: {
      state: 'executing',
      payment: aPayment({ state: 'broadcast', hasOpenAttempt: true }),
    },
    seen: 'expense in_progress',
  },
  {
    of: 'what is reconciled',
    expense: {
      state: 'reconciling',
      payment: aPayment({ state: 'reconciling', hasOpenAttempt: true }),
    },
    seen: 'expense in_progress, payment: reconcile_payment',
    but: [[OWN_EMPLOYEE, 'expense in_progress']],
  },
  {
    of: 'what its analysis blocked',
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
    of: 'a blocked payment of which something may still be mined',
    expense: { ...blocked, payment: aPayment({ hasOpenAttempt: true }) },
    seen: 'expense: open_support, payment: reconcile_payment open_support',
    but: [[OWN_EMPLOYEE, 'expense: open_support']],
  },
  {
    of: 'a blocked payment that the chain has paid',
    expense: { ...blocked, payment: aPayment({ blockCode: 'payment_already_executed' }) },
    seen: 'expense: open_support, payment: reconcile_payment open_support',
    but: [[OWN_EMPLOYEE, 'expense: open_support']],
  },
  {
    of: 'a blocked payment whose nonce something else has used',
    expense: {
      ...blocked,
      payment: aPayment({ blockCode: 'nonce_used_elsewhere', hasOpenAttempt: true }),
    },
    seen: 'expense: queue_payment open_support, payment: reconcile_payment open_support',
    but: [[OWN_EMPLOYEE, 'expense: open_support']],
  },
  { of: 'what is paid', expense: { state: 'paid' }, seen: 'expense recently_completed' },
  { of: 'what was rejected', expense: { state: 'rejected' }, seen: 'expense recently_completed' },
  { of: 'what was cancelled', expense: { state: 'cancelled' }, seen: 'expense recently_completed' },
]

const cells = specification.flatMap(({ of, expense, seen, but = [] }) =>
  readerNames.map((name) => {
    const exception = but.find(([names]) => names.includes(name))
    const expected = exception?.[1] ?? (STRANGERS.includes(name) ? '' : seen)
    return [of, name, expected || 'nothing', expense] as const
  }),
)

describe('the tasks of each reader', () => {
  test('cover every state of an expense', () => {
    const listed = new Set(specification.map(({ expense }) => expense.state))
    expect([...listed].sort()).toEqual([...expenseStates].sort())
  })

  test.each(cells)('for %s, %s: %s', (_of, name, expected, expense) => {
    expect(told(tasksFor(name, expense)) || 'nothing').toBe(expected)
  })

  test('show managers every state but drafts, and employees what they could sign', () => {
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

  test('names its organization to operators only', () => {
    const open = { ...aCase, state: 'open' } as const
    expect(caseTask(open, 'member').detail).toBe('Support case open, priority high.')
    expect(caseTask(open, 'operator').detail).toContain('Organization: Acme.')
  })
})

describe("an operator's tasks", () => {
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
    const order = arrange(tasks, 10).map(({ aggregateId }) => aggregateId)
    expect(order).toEqual(['operator 3', 'operator 1', 'member 9', 'member 5'])
  })

  test('is limited in each group separately', () => {
    const tasks = [at(1, 'open', 'operator'), at(2, 'open', 'operator'), at(3, 'open', 'member')]
    const order = arrange(tasks, 1).map(({ aggregateId }) => aggregateId)
    expect(order).toEqual(['operator 2', 'member 3'])
  })
})
