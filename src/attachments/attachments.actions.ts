/** What attachments write into the audit trail. */

export const attachmentActions = ['attachment.uploaded', 'attachment.removed'] as const

declare module '#journal/journal.ts' {
  interface AuditRecords {
    attachments: {
      action: (typeof attachmentActions)[number]
      aggregate: 'attachment'
    }
  }
}
