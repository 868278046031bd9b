/** The words for states, in one place. docs/STATES.md explains the states themselves. */
import type { DataOf } from '@countersign/client/operation-types.ts'
import type { MarkKind } from '@countersign/ui/mark.tsx'
import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'

type Word = { kind: MarkKind; word: MessageDescriptor }
export type ExpenseState = DataOf<'getExpense'>['state']
export type PaymentState = DataOf<'getPayment'>['payment']['state']

export const EXPENSE_STATES: Record<ExpenseState, Word> = {
  draft: { kind: 'draft', word: msg`Draft` },
  analysis_queued: { kind: 'working', word: msg`Being analysed` },
  analyzing: { kind: 'working', word: msg`Being analysed` },
  needs_review: { kind: 'waiting', word: msg`Waiting for review` },
  revision_requested: { kind: 'warning', word: msg`Changes requested` },
  awaiting_approval: { kind: 'sign', word: msg`Waiting for a signature` },
  approved_ready_for_payment: { kind: 'working', word: msg`Ready to pay` },
  automatic_ready_for_payment: { kind: 'working', word: msg`Ready to pay` },
  executing: { kind: 'working', word: msg`Being paid` },
  reconciling: { kind: 'warning', word: msg`Being checked` },
  paid: { kind: 'done', word: msg`Paid` },
  rejected: { kind: 'ended', word: msg`Rejected` },
  cancelled: { kind: 'ended', word: msg`Cancelled` },
  blocked: { kind: 'blocked', word: msg`Blocked` },
}

export const ROLES = {
  owner: msg`Owner`,
  manager: msg`Manager`,
  employee: msg`Employee`,
} as const
