/** The story of an expense: what happened, what everyone waits for, what follows. Pure. */

import { postponedUntilOf } from '@countersign/app-kit/words/postponed-until.ts'
import { type Signatures, signaturesOf } from '../../../approval/signatures.ts'
import { type Difference, differencesOf } from '../differences.ts'
import type {
  Approval,
  Expense,
  PaymentDetail,
  Report,
  Review,
  Revision,
} from '../expense-types.ts'

export type Happened =
  | { kind: 'written'; at: string; revision: Revision }
  | { kind: 'revised'; at: string; revision: Revision; differences: readonly Difference[] }
  | { kind: 'analysed'; at: string; report: Report; warned: number; failed: number }
  | { kind: 'reviewed'; at: string; review: Review }
  | { kind: 'signed'; at: string; approval: Approval; isVoid: boolean }
  | { kind: 'sent'; at: string; number: number; transactionHash: string | null }
  | { kind: 'paid'; at: string; transactionHash: string; blockNumber: number }
  | { kind: 'cancelled'; at: string }

export type Waiting =
  | { kind: 'to_be_sent_for_review' }
  | { kind: 'in_analysis' }
  | { kind: 'for_review' }
  | { kind: 'for_revision' }
  | { kind: 'for_signature'; signatures: Signatures }
  | { kind: 'for_release' }
  | { kind: 'to_be_sent' }
  /** For the end of the vault's spending period. */
  | { kind: 'postponed'; until: string }
  | { kind: 'on_chain' }
  | { kind: 'looked_for' }
  | { kind: 'blocked'; code: string | null }

export type Following = 'analysis' | 'review' | 'signature' | 'payment'

export type History = {
  past: readonly Happened[]
  now: Waiting | null
  next: readonly Following[]
}

type Sources = {
  expense: Expense
  report: Report | null
  payment: PaymentDetail | null
  isReleaseManual: boolean
}

const byTime = (a: Happened, b: Happened): number => a.at.localeCompare(b.at)

export function historyOf(sources: Sources): History {
  return { past: pastOf(sources), now: nowOf(sources), next: nextOf(sources.expense) }
}

function pastOf({ expense, report, payment }: Sources): Happened[] {
  const oldestFirst = [...expense.revisions].sort((a, b) => a.revision - b.revision)
  const written = oldestFirst.map((revision, index): Happened => {
    const before = oldestFirst[index - 1]
    const at = revision.createdAt
    return before
      ? { kind: 'revised', at, revision, differences: differencesOf(before, revision) }
      : { kind: 'written', at, revision }
  })
  const events: Happened[] = [
    ...written,
    ...(expense.reviews ?? []).map((review) => ({
      kind: 'reviewed' as const,
      at: review.createdAt,
      review,
    })),
    ...(expense.approvals ?? []).flatMap((approval) => signedOf(approval)),
    ...(report ? [analysedOf(report)] : []),
    ...(payment ? paymentOf(payment) : []),
    ...(expense.state === 'cancelled'
      ? [{ kind: 'cancelled' as const, at: expense.updatedAt }]
      : []),
  ]
  return events.sort(byTime)
}

function signedOf(approval: Approval): Happened[] {
  if (approval.signedAt === null) return []
  const isVoid = approval.state !== 'signed' && approval.state !== 'consumed'
  return [{ kind: 'signed', at: approval.signedAt, approval, isVoid }]
}

function analysedOf(report: Report): Happened {
  const count = (outcome: string) =>
    report.output.checks.filter((check) => check.outcome === outcome).length
  return {
    kind: 'analysed',
    at: report.createdAt,
    report,
    warned: count('warn'),
    failed: count('fail'),
  }
}

function paymentOf({ attempts, receipt }: PaymentDetail): Happened[] {
  return [
    ...attempts.map(({ number, createdAt, transactionHash }) => ({
      kind: 'sent' as const,
      at: createdAt,
      number,
      transactionHash,
    })),
    ...(receipt
      ? [
          {
            kind: 'paid' as const,
            at: receipt.confirmedAt,
            transactionHash: receipt.transactionHash,
            blockNumber: receipt.blockNumber,
          },
        ]
      : []),
  ]
}

function nowOf({ expense, payment, isReleaseManual }: Sources): Waiting | null {
  switch (expense.state) {
    case 'draft':
      return { kind: 'to_be_sent_for_review' }
    case 'analysis_queued':
    case 'analyzing':
      return { kind: 'in_analysis' }
    case 'needs_review':
      return { kind: 'for_review' }
    case 'revision_requested':
      return { kind: 'for_revision' }
    case 'awaiting_approval':
      return { kind: 'for_signature', signatures: signaturesOf(expense) }
    case 'approved_ready_for_payment':
    case 'automatic_ready_for_payment':
      return readyOf(payment, isReleaseManual)
    case 'executing':
      return { kind: 'on_chain' }
    case 'reconciling':
      return { kind: 'looked_for' }
    case 'blocked':
      return { kind: 'blocked', code: expense.blockCode }
    default:
      return null
  }
}

function readyOf(payment: PaymentDetail | null, isReleaseManual: boolean): Waiting {
  if (isReleaseManual && payment?.payment.state === 'reserved') return { kind: 'for_release' }
  const until = postponedUntilOf(payment?.payment)
  return until ? { kind: 'postponed', until } : { kind: 'to_be_sent' }
}

/** What comes after the step that everyone waits for. */
function nextOf({ state, revision }: Expense): Following[] {
  const isSigned = revision.requestedMode === 'approved'
  switch (state) {
    case 'draft':
    case 'revision_requested':
      return isSigned ? ['analysis', 'review', 'signature', 'payment'] : ['analysis', 'payment']
    case 'analysis_queued':
    case 'analyzing':
      return isSigned ? ['review', 'signature', 'payment'] : ['payment']
    case 'needs_review':
      return ['signature', 'payment']
    case 'awaiting_approval':
    case 'approved_ready_for_payment':
    case 'automatic_ready_for_payment':
      return ['payment']
    default:
      return []
  }
}
