/** What the service's parts write into the audit trail. */

export const healthActions = ['service.changed'] as const

declare module '#journal/journal.ts' {
  interface AuditRecords {
    health: {
      action: (typeof healthActions)[number]
      aggregate: 'service'
    }
  }
}
