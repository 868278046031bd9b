/**
 * Which actions a member could take on an expense now: the rules of the commands, applied to rows
 * of one read. The commands decide in the end. Pure.
 */
import { requiredApprovals } from '@countersign/proof/execution.ts'
import { isManager, type Role } from '#access/permissions.ts'
import { hasRevisionsLeft } from '#expenses/change-expense.ts'
import type { ExpenseState } from '#expenses/expense.machine.ts'
import { type Decider, isSubmitter, mayDecide } from '#expenses/four-eyes.ts'
import type { PaymentState } from '#payments/payment.machine.ts'
import {
  isForged,
  isReconcilable,
  mayHavePaid,
  releaseStepOf,
  signatureRefusal,
} from '#payments/payment.ts'
import type { BlockCode } from '#platform/block-codes.ts'
import { type Spending, spendingRefusal, withoutOwn } from '#treasury/spending.ts'
import type { RecipientStanding } from '#treasury/vault-recipients.store.ts'

export type TaskCaller = {
  accountId: string
  role: Role
  /**
   * Owners and managers other than the caller. Without any, the caller may review their own
   * expenses.
   */
  otherReviewerIds: readonly string[]
  /** Lower-case addresses of the wallets with an active approver role. */
  approverAddresses: readonly string[]
}

export type TaskPayment = {
  id: string
  state: PaymentState
  blockCode: BlockCode | null
  mode: 'approved' | 'automatic'
  requiredApprovals: number
  /** The accounts whose signatures it counts. */
  signatures: readonly string[]
  /** For the expense's current revision. */
  isCurrent: boolean
  hasOpenAttempt: boolean
  hasLane: boolean
  policyVersion: number
  deadline: string
  /** All approvals are still signed and their approvers active; null where nobody signed. */
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
  /** Accounts that have or had the recipient's address as a wallet. */
  paidAccountIds: readonly string[]
  amount: bigint
  updatedAt: string
  payment: TaskPayment | null
  /** While it awaits approval: the accounts that have signed the current revision. */
  signerIds: readonly string[]
  /** The run whose failure blocked the expense. */
  failedRun: { id: string; failureCode: string | null; updatedAt: string } | null
  /** The caller's own prepared approval, if it could be signed now. */
  preparation: { id: string; deadline: string; updatedAt: string } | null
}

/** A vault's balances, and the other accounts whose wallets its policy lists as approvers. */
export type TaskTreasury = Omit<
  Spending,
  'mode' | 'amount' | 'recipientAddress' | 'recipient' | 'now'
> & {
  otherApproverIds: readonly string[]
  /** What the vault says of the recipients of the expenses, by address. */
  recipients: ReadonlyMap<string, RecipientStanding>
}

export type TaskSituation = {
  caller: TaskCaller
  expense: TaskExpense
  /** Of the expense's vault. */
  treasury: TaskTreasury | undefined
  hasExecutor: boolean
  /** Within the limits of automatic payments, if its payment could be released again. */
  mayBeAutomatic: boolean
  /** ISO 8601. */
  now: string
  /** The last expiry of a policy that leaves enough time to sign; ISO 8601. */
  signableUntil: string
  /** The same where several approvers must sign and nobody has. */
  sharedUntil: string
}

export const isOwn = ({ caller, expense }: Pick<TaskSituation, 'caller' | 'expense'>): boolean =>
  isSubmitter({ ...expense, accountId: caller.accountId })

const deciderOf = ({ caller: { accountId }, expense }: TaskSituation): Decider => ({
  accountId,
  submitterAccountId: expense.submitterAccountId,
  paidAccountIds: expense.paidAccountIds,
})

/** Payees never review; submitters only if nobody else can. */
export const mayReview = (situation: TaskSituation): boolean =>
  situation.expense.state === 'needs_review' &&
  isManager(situation.caller) &&
  mayDecide(deciderOf(situation), situation.caller.otherReviewerIds)

export const mayRevise = (situation: TaskSituation): boolean =>
  situation.expense.state === 'revision_requested' &&
  isOwn(situation) &&
  hasRevisionsLeft(situation.expense)

/** How many approvers must sign, where a policy or a reservation says so. */
export const requiredOf = ({ expense, treasury }: TaskSituation): number | null => {
  if (treasury?.policy) return requiredApprovals(treasury.policy.tiers, expense.amount)
  return expense.payment?.isCurrent ? expense.payment.requiredApprovals : null
}

/**
 * Needs a wallet that the policy on chain lists, and everybody signs once; submitters sign only if
 * too few other approvers can.
 */
export function mayApprove(situation: TaskSituation): boolean {
  const { caller, expense, treasury, signableUntil, sharedUntil } = situation
  const policy = treasury?.policy
  if (expense.state !== 'awaiting_approval' || !expense.hasReport || !policy) return false
  const required = requiredApprovals(policy.tiers, expense.amount)
  const isListed = caller.approverAddresses.some((own) => policy.approverAddresses.includes(own))
  if (!isListed || expense.signerIds.includes(caller.accountId)) return false
  if (!mayDecide(deciderOf(situation), treasury.otherApproverIds, required)) return false
  const isDeadlineFree = required > 1 && expense.signerIds.length === 0
  const until = isDeadlineFree ? sharedUntil : signableUntil
  return policy.expiresAt >= until && isPayable(situation, 'approved')
}

function isPayable(situation: TaskSituation, mode: Spending['mode']): boolean {
  const { expense, treasury, now } = situation
  if (!treasury || !expense.isRecipientActive) return false
  const { amount, recipientAddress, payment } = expense
  const isReserved = payment?.state === 'reserved' && payment.isCurrent
  const held = isReserved
    ? withoutOwn(treasury.held, { amount, mode: payment.mode })
    : treasury.held
  const recipient = treasury.recipients.get(recipientAddress)
  const asked = { mode, amount, recipientAddress, recipient, now }
  return spendingRefusal({ ...treasury, ...asked, held }) === undefined
}

const isReady = ({ state }: TaskExpense): boolean =>
  state === 'approved_ready_for_payment' || state === 'automatic_ready_for_payment'

/** The payment awaits its release, or ended without paying and is still authorised. */
export function mayRelease(situation: TaskSituation): boolean {
  const { caller, expense, hasExecutor } = situation
  const { payment } = expense
  if (!isManager(caller) || !payment?.isCurrent) return false
  const step = releaseStepOf(payment)
  if (isReady(expense)) return step === 'release' && hasExecutor
  if (expense.state !== 'blocked') return false
  if (step === 'give_up') return true
  if (step !== 'release_again' || mayHavePaid(payment) || isForged(payment)) return false
  return isAuthorised(situation, payment) && isPayable(situation, payment.mode)
}

const isAuthorised = (
  { treasury, mayBeAutomatic, now }: TaskSituation,
  payment: TaskPayment,
): boolean =>
  (payment.mode === 'automatic' && mayBeAutomatic) ||
  (payment.mode === 'approved' &&
    signatureRefusal({
      deadline: payment.deadline,
      now,
      isApprovalGood: payment.isApprovalGood === true,
      policyVersion: treasury?.vault.policyVersion ?? null,
      signedVersion: payment.policyVersion,
    }) === undefined)

/** A payment that the engine still follows is no task, even where it could be reconciled. */
export function mayReconcile({ caller, expense: { payment } }: TaskSituation): boolean {
  if (!isManager(caller) || !payment?.hasLane || !isReconcilable(payment)) return false
  return payment.state === 'reconciling' || payment.state === 'blocked'
}
