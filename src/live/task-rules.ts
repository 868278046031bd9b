/**
 * What a member could do to an expense at once, and would not be refused: the same rules as the
 * commands', over rows that were read together. The commands have the last word. Pure.
 */

import type { Role } from '#access/permissions.ts'
import { REVISIONS_MAX } from '#expenses/change-expense.ts'
import type { ExpenseState } from '#expenses/expense.machine.ts'
import type { PaymentState } from '#payments/payment.machine.ts'
import { mayBeGivenUp } from '#payments/payment.ts'
import type { BlockCode } from '#platform/block-codes.ts'
import { type Spending, spendingRefusal } from '#treasury/spending.ts'

export type TaskCaller = {
  accountId: string
  role: Role
  /** Owners and managers other than the caller: if there is none, they may review their own. */
  otherReviewerIds: readonly string[]
  /** Of the wallets with an active approver role; lower case. */
  approverAddresses: readonly string[]
}

export type TaskPayment = {
  id: string
  state: PaymentState
  blockCode: BlockCode | null
  mode: 'approved' | 'automatic'
  /** Of the expense's present revision. */
  isCurrent: boolean
  hasOpenAttempt: boolean
  hasLane: boolean
  policyVersion: number
  deadline: string
  /** The approval is signed still, and its approver an approver; null where nobody signed. */
  isApprovalGood: boolean | null
  updatedAt: string
}

export type TaskExpense = {
  id: string
  organizationId: string
  submitterAccountId: string
  currentRevision: number
  state: ExpenseState
  blockCode: BlockCode | null
  hasReport: boolean
  vaultId: string
  purpose: string
  recipientLabel: string
  recipientAddress: string
  isRecipientActive: boolean
  /** Accounts that have or once had the recipient's address as a wallet. */
  paidAccountIds: readonly string[]
  amount: bigint
  updatedAt: string
  payment: TaskPayment | null
  /** The one whose failure blocked it. */
  failedRun: { id: string; failureCode: string | null; updatedAt: string } | null
  /** The caller's own, which could be signed now. */
  preparation: { id: string; deadline: string; updatedAt: string } | null
}

/** A vault's balances, and the other accounts whose wallets its policy lists as approvers. */
export type TaskTreasury = Omit<Spending, 'mode' | 'amount' | 'recipientAddress' | 'now'> & {
  otherApproverIds: readonly string[]
}

export type Situation = {
  caller: TaskCaller
  expense: TaskExpense
  /** Of the expense's vault. */
  treasury: TaskTreasury | undefined
  hasExecutor: boolean
  /** Within the limits of automatic payments, where its payment is one to be released again. */
  mayBeAutomatic: boolean
  /** ISO 8601. */
  now: string
  /** The last moment at which a policy still leaves time to sign; ISO 8601. */
  signableUntil: string
}

const manages = ({ role }: TaskCaller): boolean => role !== 'employee'

export const isOwn = ({ caller, expense }: Pick<Situation, 'caller' | 'expense'>): boolean =>
  expense.submitterAccountId === caller.accountId

/** A payee decides nothing about the expense. */
const isPaid = ({ caller, expense }: Situation): boolean =>
  expense.paidAccountIds.includes(caller.accountId)

const isAnother = (others: readonly string[], { paidAccountIds }: TaskExpense): boolean =>
  others.some((accountId) => !paidAccountIds.includes(accountId))

/** Payees never review; submitters only if nobody else can. */
export const mayReview = (situation: Situation): boolean =>
  situation.expense.state === 'needs_review' &&
  manages(situation.caller) &&
  !isPaid(situation) &&
  (!isOwn(situation) || !isAnother(situation.caller.otherReviewerIds, situation.expense))

export const mayRevise = (situation: Situation): boolean =>
  situation.expense.state === 'revision_requested' &&
  isOwn(situation) &&
  situation.expense.currentRevision < REVISIONS_MAX

/** By a wallet that the policy on chain lists, and not one's own while another approver could. */
export function mayApprove(situation: Situation): boolean {
  const { caller, expense, treasury, signableUntil } = situation
  const policy = treasury?.policy
  if (expense.state !== 'awaiting_approval' || !expense.hasReport || !policy) return false
  const isListed = caller.approverAddresses.some((own) => policy.approverAddresses.includes(own))
  if (!isListed || isPaid(situation)) return false
  if (isOwn(situation) && isAnother(treasury.otherApproverIds, expense)) return false
  return policy.expiresAt >= signableUntil && isPayable(situation, 'approved')
}

const isPayable = ({ expense, treasury, now }: Situation, mode: Spending['mode']): boolean =>
  treasury !== undefined &&
  expense.isRecipientActive &&
  spendingRefusal({
    ...treasury,
    mode,
    amount: expense.amount,
    recipientAddress: expense.recipientAddress,
    now,
  }) === undefined

const isReady = ({ state }: TaskExpense): boolean =>
  state === 'approved_ready_for_payment' || state === 'automatic_ready_for_payment'

/** Waiting for its release, or over without having paid and still authorised. */
export function mayRelease(situation: Situation): boolean {
  const { caller, expense, hasExecutor } = situation
  const { payment } = expense
  if (!manages(caller) || !payment?.isCurrent) return false
  if (isReady(expense)) return payment.state === 'reserved' && hasExecutor
  if (expense.state !== 'blocked') return false
  // To release it again is a person's word that they have looked.
  if (mayBeGivenUp(payment)) return true
  const isOver = payment.state === 'blocked' || payment.state === 'failed'
  if (!isOver || mayHavePaid(payment)) return false
  return isAuthorised(situation, payment) && isPayable(situation, payment.mode)
}

const isAuthorised = (
  { treasury, mayBeAutomatic, now }: Situation,
  payment: TaskPayment,
): boolean =>
  (payment.mode === 'automatic' && mayBeAutomatic) ||
  (payment.isApprovalGood === true &&
    payment.deadline > now &&
    payment.policyVersion === treasury?.vault.policyVersion)

/** Something that was signed for it could still be mined, or was. */
const mayHavePaid = ({ hasOpenAttempt, blockCode }: TaskPayment): boolean =>
  hasOpenAttempt || blockCode === 'payment_already_executed'

/** Only a payment that may have been executed can be reconciled. */
export function mayReconcile({ caller, expense: { payment } }: Situation): boolean {
  if (!manages(caller) || !payment?.hasLane) return false
  return payment.state === 'reconciling' || (payment.state === 'blocked' && mayHavePaid(payment))
}
