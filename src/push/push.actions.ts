/** What push subscriptions write into the audit trail. */

export const pushActions = ['push.subscribed', 'push.unsubscribed', 'push.deactivated'] as const

declare module '#journal/journal.ts' {
  interface AuditRecords {
    push: {
      action: (typeof pushActions)[number]
      aggregate: 'push_subscription'
    }
  }
}
