/**
 * Payments: each expense has one, whose id is fixed when the expense is created. This module owns
 * reservations and the steps from `reserved` to `confirmed`. It does not decide who may authorise a
 * payment; it verifies that the authorization still holds. Pure.
 */
import { checksummed } from '@countersign/proof/values.ts'
import type { BlockCode } from '#platform/block-codes.ts'
import { addSeconds } from '#platform/clock.ts'
import type { ExecutorProviderType } from '#platform/config/providers.ts'
import { isInFlight, type PaymentState } from './payment.machine.ts'
import type { PaymentRow, PaymentSignature } from './payments.store.ts'

/** What authorises the payment: signed approvals, or the policy's automatic mode. */
export type Authorization =
  | {
      kind: 'approved'
      /** The first one signed first. */
      signatures: readonly PaymentSignature[]
      requiredApprovals: number
      deadline: string
    }
  | { kind: 'automatic'; deadline: string }

const AUTOMATIC_SECONDS = 24 * 60 * 60

/** An automatic authorization lasts a day, or until the policy expires if that is sooner. */
export function automaticUntil(now: Date, policyExpiresAt: string): Authorization {
  const inADay = addSeconds(now, AUTOMATIC_SECONDS).toISOString()
  return { kind: 'automatic', deadline: inADay < policyExpiresAt ? inADay : policyExpiresAt }
}

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
  /** 0 for an automatic payment. */
  requiredApprovals: number
  signedApprovals: number
  deadline: string
  /** While it is queued and its period has no room for it. */
  postponedUntil: string | null
  providerReference: string | null
  transactionHash: string | null
  state: PaymentState
  /** Why it is blocked or has failed. */
  blockCode: BlockCode | null
  createdAt: string
  updatedAt: string
}

/** The columns shown to readers: without the signatures and the engine's own columns. */
export type ShownPayment = Omit<
  PaymentRow,
  'signatures' | 'epoch' | 'hasOpenAttempt' | 'isGivenUp' | 'laneId' | 'reportId' | 'vaultId'
> & { signatures: readonly unknown[] }

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
  requiredApprovals: row.requiredApprovals,
  signedApprovals: row.signatures.length,
  deadline: row.deadline,
  postponedUntil: row.postponedUntil,
  providerReference: row.providerReference,
  transactionHash: row.transactionHash,
  state: row.state,
  blockCode: row.blockCode,
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
})

/** Nothing was sent and the approval no longer holds: a new signature is enough. */
const APPROVAL_CODES: readonly BlockCode[] = [
  'approval_expired',
  'approval_invalidated',
  'approval_superseded',
  'approver_revoked',
  'deadline_passed',
  'version_mismatch',
  'approver_not_allowed',
  'approval_is_invalidated',
  'approval_count_mismatch',
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
 * Blocked with an open attempt that a person may declare lost: another transaction used its nonce,
 * or its outcome cannot be found. The engine still checks everything that the chain can prove.
 */
const mayBeGivenUp = ({
  state,
  blockCode,
  hasOpenAttempt,
}: Pick<PaymentRow, 'state' | 'blockCode' | 'hasOpenAttempt'>): boolean =>
  state === 'blocked' && hasOpenAttempt && blockCode !== null && LOST_CODES.includes(blockCode)

/** An attempt was mined or may still be mined. */
export const mayHavePaid = ({
  hasOpenAttempt,
  blockCode,
}: Pick<PaymentRow, 'hasOpenAttempt' | 'blockCode'>): boolean =>
  hasOpenAttempt || blockCode === 'payment_already_executed'

/** Only a payment that may have been executed can be reconciled. */
export const isReconcilable = (
  payment: Pick<PaymentRow, 'state' | 'hasOpenAttempt' | 'blockCode'>,
): boolean => isInFlight(payment.state) || (payment.state === 'blocked' && mayHavePaid(payment))

/** Every approver whom the policy asks for has signed; also true for automatic payments. */
export const isFullySigned = ({ requiredApprovals, signatures }: SignedPayment): boolean =>
  signatures.length >= requiredApprovals

type SignedPayment = Pick<ShownPayment, 'requiredApprovals' | 'signatures'>

export type ReleaseStep = 'nothing' | 'wait' | 'release' | 'give_up' | 'release_again'

/**
 * What a release does in the current state. `nothing`: it is queued or further. `wait`: signatures
 * are missing.
 */
export function releaseStepOf(
  payment: Pick<PaymentRow, 'state' | 'hasOpenAttempt' | 'blockCode'> & SignedPayment,
): ReleaseStep {
  if (payment.state === 'reserved') return isFullySigned(payment) ? 'release' : 'wait'
  if (mayBeGivenUp(payment)) return 'give_up'
  const isOver = payment.state === 'blocked' || payment.state === 'failed'
  // Queued or further, or an attempt may still be mined: the release changes nothing.
  return isOver && !payment.hasOpenAttempt ? 'release_again' : 'nothing'
}

/** The service did not write these rows. Such a payment is reported and never retried. */
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
  /** Every approval is still signed, and its approver still has the role. */
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
