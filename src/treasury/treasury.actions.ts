/** What vaults, policies and their intents write into the audit trail. */

export const treasuryActions = [
  'vault_deployment.prepared',
  'vault_deployment.submitted',
  'vault_deployment.confirmed',
  'vault_deployment.reconciling',
  'vault_deployment.rejected',
  'vault_deployment.failed',
  'policy_intent.prepared',
  'policy_intent.submitted',
  'policy_intent.proposed',
  'policy_intent.confirmed',
  'policy_intent.reconciling',
  'policy_intent.rejected',
  'policy_intent.failed',
  'vault.registered',
  'vault.verified',
  'vault.disabled',
  'vault.made_default',
  'vault.archived',
  'policy.proposed',
  'policy.activated',
  'policy.vetoed',
  'policy.proposal_superseded',
  'policy.proposal_expired',
  'policy.proposal_reopened',
  'policy.configured',
  'vault.recipients_changed',
  'vault.recipient_blocked',
  'vault.recipient_unblocked',
  'policy.paused',
  'policy.unpaused',
  'policy.approver_revoked',
] as const

declare module '#journal/journal.ts' {
  interface AuditRecords {
    treasury: {
      action: (typeof treasuryActions)[number]
      aggregate: 'vault' | 'policy' | 'vault_deployment' | 'policy_intent'
    }
  }
}
