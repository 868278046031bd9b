/** What approvals write into the audit trail, by the machine's event or the command. */
import type { ApprovalEvent } from './approval.machine.ts'

export const approvalActions = {
  prepare: 'approval.prepared',
  cancel: 'approval.cancelled',
  sign: 'approval.signed',
  consume: 'approval.consumed',
  expire: 'approval.expired',
  supersede: 'approval.superseded',
  invalidate: 'approval.invalidated',
} as const satisfies Record<ApprovalEvent | 'prepare' | 'cancel', string>

declare module '#journal/journal.ts' {
  interface AuditRecords {
    approvals: {
      action: (typeof approvalActions)[keyof typeof approvalActions]
      aggregate: 'approval'
    }
  }
}
