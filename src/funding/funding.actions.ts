/** Audit actions of funding controls and funding actions. */

export const fundingActions = [
  'funding_control.requested',
  'funding_control.attached',
  'funding_control.unverified',
  'funding_control.verified',
  'funding_control.revoked',
  'funding_control.failed',
  'funding_control.detached',
  'funding_action.requested',
  'funding_action.broadcast',
  'funding_action.confirmed',
  'funding_action.denied',
  'funding_action.failed',
  'funding_action.doubted',
] as const

declare module '#journal/journal.ts' {
  interface AuditRecords {
    funding: {
      action: (typeof fundingActions)[number]
      aggregate: 'funding_control' | 'funding_action'
    }
  }
}
