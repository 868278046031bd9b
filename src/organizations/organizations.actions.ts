/** What organizations, their members and recipients write into the audit trail. */

export const organizationActions = [
  'organization.created',
  'membership.created',
  'membership.confirmed',
  'membership.revoked',
  'wallet_role.assigned',
  'wallet_role.revoked',
  'invitation.created',
  'invitation.accepted',
  'invitation.revoked',
  'invitation.expired',
  'recipient.added',
  'recipient.deactivated',
] as const

declare module '#journal/journal.ts' {
  interface AuditRecords {
    organizations: {
      action: (typeof organizationActions)[number]
      aggregate: 'organization' | 'membership' | 'wallet_role' | 'invitation' | 'recipient'
    }
  }
}
