/** What organizations, their members and recipients write into the audit trail. */

export const organizationActions = [
  'organization.created',
  'organization.renamed',
  'membership.created',
  'membership.confirmed',
  'membership.role_changed',
  'membership.left',
  'membership.revoked',
  'wallet_role.assigned',
  'wallet_role.revoked',
  'invitation.created',
  'invitation.accepted',
  'invitation.revoked',
  'invitation.expired',
  'recipient.added',
  'recipient.renamed',
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
