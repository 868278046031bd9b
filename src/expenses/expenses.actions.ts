/** What expenses write into the audit trail, by the machine's event or the command. */
import type { ExpenseEvent } from './expense.machine.ts'

export const expenseActions = {
  create: 'expense.created',
  comment: 'expense.commented',
  replace_categories: 'categories.replaced',
  submit: 'expense.submitted',
  start_analysis: 'expense.analysis_started',
  fail_analysis: 'expense.analysis_failed',
  flag: 'expense.flagged',
  clear: 'expense.cleared',
  request_revision: 'expense.revision_requested',
  reject: 'expense.rejected',
  advance: 'expense.advanced',
  revise: 'expense.revised',
  cancel: 'expense.cancelled',
  sign: 'expense.signed',
  approve: 'expense.approved',
  approval_ended: 'expense.approval_ended',
  release_approved: 'expense.approved_payment_released',
  release_automatic: 'expense.automatic_payment_released',
  payment_submitting: 'expense.payment_submitted',
  payment_lost: 'expense.payment_lost',
  payment_confirmed: 'expense.payment_confirmed',
  payment_blocked: 'expense.payment_blocked',
} as const satisfies Record<
  ExpenseEvent | 'create' | 'comment' | 'sign' | 'replace_categories',
  string
>

declare module '#journal/journal.ts' {
  interface AuditRecords {
    expenses: {
      action: (typeof expenseActions)[keyof typeof expenseActions]
      aggregate: 'expense' | 'categories'
    }
  }
}
