/** The chapters of a payment's story, and how far it has come. Pure. */
import type { DataOf } from '@countersign/client/operation-types.ts'

export type PaymentStory = DataOf<'getAdminPayment'>
export type StepId = 'asked' | 'analysed' | 'approved' | 'reserved' | 'sent' | 'paid'
export type StoryStep = {
  id: StepId
  when: 'past' | 'now' | 'next' | 'failed'
  /** When it happened last. */
  at: string | null
}

type Told = {
  expense: Pick<PaymentStory['expense'], 'state' | 'currentRevision' | 'createdAt'>
  payment: Pick<
    NonNullable<PaymentStory['payment']>,
    'state' | 'mode' | 'createdAt' | 'updatedAt' | 'requiredApprovals' | 'signedApprovals'
  > | null
  agentRuns: readonly Pick<
    PaymentStory['agentRuns'][number],
    'state' | 'expenseRevision' | 'updatedAt'
  >[]
  approvals: readonly Pick<
    PaymentStory['approvals'][number],
    'state' | 'expenseRevision' | 'updatedAt'
  >[]
  attempts: readonly { createdAt: string }[]
  receipt: { status: string; confirmedAt: string } | null
}

type Rest = Omit<StoryStep, 'id'>
const NEXT: Rest = { when: 'next', at: null }

function analysed({ expense, agentRuns }: Told): Rest {
  const run = agentRuns.find(({ expenseRevision }) => expenseRevision === expense.currentRevision)
  if (!run) return NEXT
  const whens = { queued: 'now', running: 'now', succeeded: 'past', failed: 'failed' } as const
  return { when: whens[run.state], at: run.updatedAt }
}

const DECIDING: readonly string[] = ['needs_review', 'revision_requested', 'awaiting_approval']

function approved({ expense, payment, approvals }: Told): Rest {
  const own = approvals.filter(({ expenseRevision }) => expenseRevision === expense.currentRevision)
  const signed = own.find(({ state }) => state === 'signed' || state === 'consumed')
  const isMissing = payment !== null && payment.signedApprovals < payment.requiredApprovals
  if (signed && isMissing) {
    return { when: payment.state === 'reserved' ? 'now' : 'failed', at: signed.updatedAt }
  }
  if (signed) return { when: 'past', at: signed.updatedAt }
  if (payment?.mode === 'automatic') return { when: 'past', at: payment.createdAt }
  if (expense.state === 'rejected' || expense.state === 'cancelled') {
    return { when: 'failed', at: null }
  }
  if (DECIDING.includes(expense.state)) return { when: 'now', at: null }
  // Signed once, and no longer good: the payment says why.
  return payment ? { when: 'failed', at: own[0]?.updatedAt ?? null } : NEXT
}

const reserved = ({ payment }: Told): Rest =>
  payment ? { when: 'past', at: payment.createdAt } : NEXT

function sent({ payment, attempts }: Told): Rest {
  if (!payment) return NEXT
  const at = attempts[0]?.createdAt ?? null
  switch (payment.state) {
    case 'confirmed':
      return { when: 'past', at }
    case 'blocked':
    case 'failed':
      return { when: 'failed', at: at ?? payment.updatedAt }
    case 'reserved':
      return NEXT
    default:
      return { when: 'now', at }
  }
}

const paid = ({ payment, receipt }: Told): Rest =>
  receipt
    ? {
        when: payment?.state === 'confirmed' && receipt.status === 'success' ? 'past' : 'failed',
        at: receipt.confirmedAt,
      }
    : NEXT

export const stepsOf = (story: Told): StoryStep[] => [
  {
    id: 'asked',
    when: story.expense.state === 'draft' ? 'now' : 'past',
    at: story.expense.createdAt,
  },
  { id: 'analysed', ...analysed(story) },
  { id: 'approved', ...approved(story) },
  { id: 'reserved', ...reserved(story) },
  { id: 'sent', ...sent(story) },
  { id: 'paid', ...paid(story) },
]
