/** What wallets and their exports write into the audit trail. */

export const walletActions = [
  'wallet.linked',
  'wallet.unlinked',
  'wallet.requested',
  'wallet.created',
  'wallet.failed',
  'wallet.disabled',
  'wallet_export.requested',
  'wallet_export.refused',
  'wallet_export.locked',
  'wallet_export.claimed',
  'wallet_export.completed',
  'wallet_export.cancelled',
  'wallet_export.expired',
] as const

declare module '#journal/journal.ts' {
  interface AuditRecords {
    wallets: {
      action: (typeof walletActions)[number]
      aggregate: 'wallet' | 'wallet_export'
    }
  }
}
