/**
 * The facts that the checks judge: the organization's data at one moment, read in one transaction
 * and bounded in size, so that an analysis costs the same in a small and a large organization.
 * Types only.
 */
import type { AutomaticQuestion } from '#payments/automatic-limits.ts'
import type { PolicyTerms } from '#treasury/policy.ts'

type RequestedMode = 'approved' | 'automatic'

/** Another expense at its current revision. Drafts and expenses that ended unpaid are excluded. */
export type PastExpense = { expenseId: string; amount: bigint; submittedAt: string }

export type Facts = {
  /** ISO 8601. Every age and window is counted from here. */
  now: string
  expense: {
    amount: bigint
    purpose: string
    requestedMode: RequestedMode
    attachmentCount: number
    reference: string | null
    /** Such as 2030-01-31. */
    dueDate: string | null
  }
  /** Above this amount an expense should have an attachment; null if none is required. */
  receiptRequiredAbove: bigint | null
  recipient: {
    label: string
    /** Lower case, like every address here. */
    address: string
    isActive: boolean
    addedAt: string
    /** Payments of this organization's vaults to the address, counted up to 100. */
    paidBefore: number
    /**
     * Who owns or once owned the wallet: `submitter` means a reimbursement, `member` another
     * member.
     */
    belongsTo: 'submitter' | 'member' | 'nobody'
    /** What the vault's list on chain says; null if it neither lists nor blocks the address. */
    standing: { allowedFrom: string | null; blocked: boolean } | null
  }
  /** Other active recipients whose first and last four characters after 0x are equal. */
  lookAlikes: { label: string; address: string }[]
  vault: {
    isUsable: boolean
    balance: bigint
    spentTotal: bigint
    /** The amount and number of live payments, which hold part of the balance. */
    promised: bigint
    promisedCount: number
  }
  /** The policy in force on chain; null when there is none. */
  policy: (PolicyTerms & { version: number }) | null
  /** Automatic payments so far, the submitter's standing and the deployment's rules. */
  automatic: Pick<AutomaticQuestion, 'standing' | 'rules'>
  /** The organization's active executor; null when there is none. */
  executorAddress: string | null
  history: {
    /** Same address and amount in the last 30 days; newest first, at most 5. */
    sameRecipientAndAmount: PastExpense[]
    /** Same purpose except for case and spaces, in the last 30 days; newest first, at most 5. */
    samePurpose: PastExpense[]
    /** An attachment with the same bytes, at any time; newest first, at most 5. */
    sameReceipt: PastExpense[]
    /** Same reference and address, at any time; newest first, at most 5. */
    sameReference: PastExpense[]
    /** Same address in the last 7 days; newest first, at most 50. */
    sameRecipientLately: PastExpense[]
    /** Amounts to this address that were accepted or paid; newest first, at most 50. */
    recipientAmounts: bigint[]
    /** Likewise for this submitter. */
    submitterAmounts: bigint[]
    /** Submitted by this account in the last 24 hours, without this expense. */
    submitterLastDay: { count: number; total: bigint }
  }
}
