/** What webhooks write into the audit trail. */

export const webhookActions = [
  'webhook.created',
  'webhook.deleted',
  'webhook.secret_rotated',
  'webhook.disabled',
  'webhook.enabled',
  'webhook.pinged',
] as const

declare module '#journal/journal.ts' {
  interface AuditRecords {
    webhooks: {
      action: (typeof webhookActions)[number]
      aggregate: 'webhook'
    }
  }
}
