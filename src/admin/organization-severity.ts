/** How an organization is, as operators see it at a glance. Pure. */
import type { Severity } from '#platform/severity.ts'

export type Condition = {
  openSupportCases: number
  hasUrgentCase: boolean
  failedPayments: number
  /** Not acknowledged yet. */
  unrecordedPayments: number
  isReconciling: boolean
  isExecutorHeld: boolean
  hasExecutorFailed: boolean
}

/** Somebody must do something; or something is on its way that may still end well. */
export function severityOf(condition: Condition): Severity {
  const { failedPayments, unrecordedPayments, isExecutorHeld, hasExecutorFailed } = condition
  const isExecutorDown = isExecutorHeld || hasExecutorFailed
  if (failedPayments + unrecordedPayments > 0 || isExecutorDown || condition.hasUrgentCase) {
    return 'action_required'
  }
  return condition.isReconciling || condition.openSupportCases > 0 ? 'degraded' : 'healthy'
}
