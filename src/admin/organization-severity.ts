/** The severity that operators see for an organization. Pure. */
import type { Severity } from '#platform/severity.ts'

export type Condition = {
  openSupportCases: number
  hasUrgentCase: boolean
  failedPayments: number
  /** Unacknowledged ones only. */
  unrecordedPayments: number
  isReconciling: boolean
  isExecutorHeld: boolean
  hasExecutorFailed: boolean
}

/** `action_required` when someone must act, `degraded` while something may still resolve itself. */
export function severityOf(condition: Condition): Severity {
  const { failedPayments, unrecordedPayments, isExecutorHeld, hasExecutorFailed } = condition
  const isExecutorDown = isExecutorHeld || hasExecutorFailed
  if (failedPayments + unrecordedPayments > 0 || isExecutorDown || condition.hasUrgentCase) {
    return 'action_required'
  }
  return condition.isReconciling || condition.openSupportCases > 0 ? 'degraded' : 'healthy'
}
