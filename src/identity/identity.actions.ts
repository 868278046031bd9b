/** What accounts and operators write into the audit trail. */

export const identityActions = [
  'account.created',
  'account.disabled',
  'account.enabled',
  'account.renamed',
  'operator.granted',
  'operator.revoked',
] as const

declare module '#journal/journal.ts' {
  interface AuditRecords {
    identity: {
      action: (typeof identityActions)[number]
      aggregate: 'account' | 'operator'
    }
  }
}
