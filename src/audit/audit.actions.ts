/** What reading a trail writes into it. */

export const trailActions = ['audit_trail.exported'] as const

declare module '#journal/journal.ts' {
  interface AuditRecords {
    audit: { action: (typeof trailActions)[number]; aggregate: 'audit_trail' }
  }
}
