/** What ledger proofs write into the audit trail. */

export const ledgerProofActions = [
  'ledger_proof.prepared',
  'ledger_proof.claimed',
  'ledger_proof.confirmed',
  'ledger_proof.failed',
] as const

declare module '#journal/journal.ts' {
  interface AuditRecords {
    'ledger-proofs': {
      action: (typeof ledgerProofActions)[number]
      aggregate: 'ledger_proof'
    }
  }
}
