/**
 * Payments: one for each expense, with the id it was born with. This room owns the money that is
 * promised and the way of a payment from reserved to confirmed; it never asks where an
 * authorization came from, it checks that it still holds. Pure.
 */

import { checksummed } from '@countersign/proof/values.ts'
import type { BlockCode } from '#platform/block-codes.ts'
import type { ExecutorProviderType } from '#platform/config/providers.ts'
import type { PaymentState } from './payment.machine.ts'
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
export const mayBeGivenUp = ({
  state,
  blockCode,
  hasOpenAttempt,
}: Pick<PaymentRow, 'state' | 'blockCode' | 'hasOpenAttempt'>): boolean =>
  state === 'blocked' && hasOpenAttempt && blockCode !== null && LOST_CODES.includes(blockCode)

const LOST_CODES: readonly BlockCode[] = [
  'nonce_used_elsewhere',
  'execution_not_found',
  'execution_unexplained',
]
