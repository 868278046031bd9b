/** What push subscriptions and notification preferences write into the audit trail. */

export const pushActions = [
  'push.subscribed',
  'push.unsubscribed',
  'push.deactivated',
  'notification_preferences.changed',
] as const

declare module '#journal/journal.ts' {
  interface AuditRecords {
    push: {
      action: (typeof pushActions)[number]
      aggregate: 'push_subscription'
    }
  }
}
