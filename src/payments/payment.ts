/**
 * Payments: one for each expense, with the id it was born with. This room owns the money that is
 * promised and the way of a payment from reserved to confirmed; it never asks where an
 * authorization came from, it checks that it still holds. Pure.
 */
import { checksummed } from '@countersign/proof/values.ts'
import type { BlockCode } from '#platform/block-codes.ts'
import type { ExecutorProviderType } from '#platform/config/providers.ts'
import { isInFlight, type PaymentState } from './payment.machine.ts'
import type { PaymentRow } from './payments.store.ts'

/** Handed down by whoever had it: a person's signature, or the policy that people signed. */
export type Authorization =
  | {
      kind: 'approved'
      approvalId: string
      digest: string
      approverAddress: string
      signature: string
      deadline: string
    }
  | { kind: 'automatic'; deadline: string }

export type PaymentRecord = {
  id: string
  organizationId: string
  executorBindingId: string | null
  executorProviderType: ExecutorProviderType | null
  executorAddress: string | null
  expenseId: string
  expenseRevision: number
  expenseVersionHash: string
  chainPaymentId: string
  mode: 'approved' | 'automatic'
  recipientAddress: string
  tokenAddress: string
  amountBaseUnits: string
  policyVersion: number
  reportHash: string
  approvalId: string | null
  approvalDigest: string | null
  deadline: string
  providerReference: string | null
  transactionHash: string | null
  state: PaymentState
  /** Why it is blocked or has failed. */
  blockCode: BlockCode | null
  createdAt: string
  updatedAt: string
}

/** The columns that readers are shown: no signature, and nothing of the engine's own. */
export type ShownPayment = Omit<
  PaymentRow,
  | 'signature'
  | 'approverAddress'
  | 'epoch'
  | 'hasOpenAttempt'
  | 'isGivenUp'
  | 'laneId'
  | 'reportId'
  | 'vaultId'
>

export const toPaymentRecord = (row: ShownPayment): PaymentRecord => ({
  id: row.id,
  organizationId: row.organizationId,
  executorBindingId: row.executorBindingId,
  executorProviderType: row.executorProviderType,
  executorAddress: row.executorAddress && checksummed(row.executorAddress),
  expenseId: row.expenseId,
  expenseRevision: row.expenseRevision,
  expenseVersionHash: row.expenseVersionHash,
  chainPaymentId: row.chainPaymentId,
  mode: row.mode,
  recipientAddress: checksummed(row.recipientAddress),
  tokenAddress: checksummed(row.tokenAddress),
  amountBaseUnits: row.amount.toString(),
  policyVersion: row.policyVersion,
  reportHash: row.reportHash,
  approvalId: row.approvalId,
  approvalDigest: row.approvalDigest,
  deadline: row.deadline,
  providerReference: row.providerReference,
  transactionHash: row.transactionHash,
  state: row.state,
  blockCode: row.blockCode,
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
})

/** Ended with the approval, with nothing sent: a new signature is all it needs. */
const APPROVAL_CODES: readonly BlockCode[] = [
  'approval_expired',
  'approval_invalidated',
  'approval_superseded',
  'approver_revoked',
  'deadline_passed',
  'version_mismatch',
  'approver_not_allowed',
  'approval_is_invalidated',
]

export const needsNewSignature = ({
  mode,
  hasOpenAttempt,
  code,
}: {
  mode: PaymentRow['mode']
  hasOpenAttempt: boolean
  code: BlockCode
}): boolean => mode === 'approved' && !hasOpenAttempt && APPROVAL_CODES.includes(code)

/**
 * Blocked although something of it is open, and a person may take that for lost: its nonce was used
 * by something that is not ours, or nobody can find what became of it. The judge knows what is left
 * to prove.
 */
const mayBeGivenUp = ({
  state,
  blockCode,
  hasOpenAttempt,
}: Pick<PaymentRow, 'state' | 'blockCode' | 'hasOpenAttempt'>): boolean =>
  state === 'blocked' && hasOpenAttempt && blockCode !== null && LOST_CODES.includes(blockCode)

/** Something that was signed for it could still be mined, or was. */
export const mayHavePaid = ({
  hasOpenAttempt,
  blockCode,
}: Pick<PaymentRow, 'hasOpenAttempt' | 'blockCode'>): boolean =>
  hasOpenAttempt || blockCode === 'payment_already_executed'

/** Only a payment that may have been executed can be reconciled. */
export const isReconcilable = (
  payment: Pick<PaymentRow, 'state' | 'hasOpenAttempt' | 'blockCode'>,
): boolean => isInFlight(payment.state) || (payment.state === 'blocked' && mayHavePaid(payment))

export type ReleaseStep = 'nothing' | 'release' | 'give_up' | 'release_again'

/** What releasing means for the payment as it is now. `nothing`: it is queued or further. */
export function releaseStepOf(
  payment: Pick<PaymentRow, 'state' | 'hasOpenAttempt' | 'blockCode'>,
): ReleaseStep {
  if (payment.state === 'reserved') return 'release'
  if (mayBeGivenUp(payment)) return 'give_up'
  const isOver = payment.state === 'blocked' || payment.state === 'failed'
  // Queued or further, or something signed may still be mined: it stays as it is.
  return isOver && !payment.hasOpenAttempt ? 'release_again' : 'nothing'
}

/** Rows that the service did not write. Such a payment is reported and never retried. */
export const FORGERY_CODES: readonly BlockCode[] = [
  'evidence_mismatch',
  'report_not_authentic',
  'authorization_not_authentic',
  'signature_not_authentic',
]

export const isForged = ({ blockCode }: Pick<PaymentRow, 'blockCode'>): boolean =>
  blockCode !== null && FORGERY_CODES.includes(blockCode)

/** Why an approved payment needs a new signature before it is released again. */
export function signatureRefusal({
  deadline,
  now,
  isApprovalGood,
  policyVersion,
  signedVersion,
}: {
  deadline: string
  now: string
  /** The approval is still signed, and its approver still has the role. */
  isApprovalGood: boolean
  policyVersion: number | null
  signedVersion: number
}): 'expired' | 'ended' | 'other_policy' | undefined {
  if (deadline <= now) return 'expired'
  if (!isApprovalGood) return 'ended'
  return signedVersion === policyVersion ? undefined : 'other_policy'
}

const LOST_CODES: readonly BlockCode[] = [
  'nonce_used_elsewhere',
  'execution_not_found',
  'execution_unexplained',
]
