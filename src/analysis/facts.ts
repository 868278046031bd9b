/**
 * What the rules look at: the books at one moment, read in one transaction and bounded in size,
 * so that analysis costs the same in a small organization and in a large one. Types only.
 */
import type { AutomaticQuestion } from '#payments/automatic-limits.ts'
import type { PolicyTerms } from '#treasury/policy.ts'

type RequestedMode = 'approved' | 'automatic'

/** Another expense at its current revision; drafts and those that ended unpaid are left out. */
export type PastExpense = { expenseId: string; amount: bigint; submittedAt: string }

export type Facts = {
  /** ISO 8601: every age and window is counted from here. */
  now: string
  expense: {
    amount: bigint
    purpose: string
    requestedMode: RequestedMode
  }
  recipient: {
    label: string
    /** Lower case, like every address here. */
    address: string
    isActive: boolean
    addedAt: string
    /** Payments of this organization's vaults that reached it, counted up to 100. */
    paidBefore: number
    /** Who has or once had the wallet: `submitter` is a reimbursement, `member` somebody else's. */
    belongsTo: 'submitter' | 'member' | 'nobody'
  }
  /** Other active recipients whose first and last four characters after 0x are the same. */
  lookAlikes: { label: string; address: string }[]
  vault: {
    isUsable: boolean
    balance: bigint
    spentTotal: bigint
    /** What live payments hold already, and how many they are. */
    promised: bigint
    promisedCount: number
  }
  /** The policy in force on the chain; null when there is none. */
  policy: (PolicyTerms & { version: number }) | null
  /** Automatic payments so far, the submitter's standing, and the deployment's rules. */
  automatic: Pick<AutomaticQuestion, 'standing' | 'rules'>
  /** The organization's active executor; null when there is none. */
  executorAddress: string | null
  history: {
    /** To this address with this amount, last 30 days; newest first, at most 5. */
    sameRecipientAndAmount: PastExpense[]
    /** With the same purpose but for case and spaces, last 30 days; newest first, at most 5. */
    samePurpose: PastExpense[]
    /** To this address, last 7 days; newest first, at most 50. */
    sameRecipientLately: PastExpense[]
    /** Amounts that people accepted or that were paid to this address; newest first, at most 50. */
    recipientAmounts: bigint[]
    /** The same of this submitter. */
    submitterAmounts: bigint[]
    /** Submitted by this person in the last 24 hours, this one left out. */
    submitterLastDay: { count: number; total: bigint }
  }
}
