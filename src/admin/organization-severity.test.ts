import { expect, test } from 'vitest'
import { type Condition, severityOf } from './organization-severity.ts'

const quiet: Condition = {
  openSupportCases: 0,
  hasUrgentCase: false,
  failedPayments: 0,
  unrecordedPayments: 0,
  isReconciling: false,
  isExecutorHeld: false,
  hasExecutorFailed: false,
}

test.each<[string, Partial<Condition>, string]>([
  ['nothing', {}, 'healthy'],
  ['a payment with an unknown outcome', { isReconciling: true }, 'degraded'],
  ['an open case', { openSupportCases: 1 }, 'degraded'],
  ['an urgent case', { openSupportCases: 1, hasUrgentCase: true }, 'action_required'],
  ['a failed or blocked payment', { failedPayments: 1 }, 'action_required'],
  ['an unrecorded payment', { unrecordedPayments: 1 }, 'action_required'],
  ['a held executor', { isExecutorHeld: true }, 'action_required'],
  ['a failed executor', { hasExecutorFailed: true }, 'action_required'],
  [
    'several conditions, by the worst',
    { isReconciling: true, failedPayments: 2 },
    'action_required',
  ],
])('the severity of an organization with %s', (_what, condition, severity) => {
  expect(severityOf({ ...quiet, ...condition })).toBe(severity)
})
