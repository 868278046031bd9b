/** What exports write into the audit trail. */

export const accountingActions = [
  'organization.payments_exported',
  'organization.expenses_exported',
] as const

declare module '#journal/journal.ts' {
  interface AuditRecords {
    accounting: {
      action: (typeof accountingActions)[number]
      aggregate: 'organization'
    }
  }
}
