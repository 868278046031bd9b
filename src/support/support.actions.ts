/** What support cases write into the audit trail. */

export const supportActions = [
  'support_case.opened',
  'support_case.messaged',
  'support_case.noted',
  'support_case.moved',
] as const

declare module '#journal/journal.ts' {
  interface AuditRecords {
    support: {
      action: (typeof supportActions)[number]
      aggregate: 'support_case'
    }
  }
}
