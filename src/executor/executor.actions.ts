/** What executors and their lanes write into the audit trail. */

export const executorActions = [
  'executor.requested',
  'executor.provisioned',
  'executor.failed',
  'executor.reconciled',
  'executor.activated',
  'executor.replaced',
  'executor.withdrawn',
  'executor.retired',
  'executor.held',
  'executor.released',
  'executor.gas_low',
  'executor.fees_high',
] as const

declare module '#journal/journal.ts' {
  interface AuditRecords {
    executor: {
      action: (typeof executorActions)[number]
      aggregate: 'executor'
    }
  }
}
