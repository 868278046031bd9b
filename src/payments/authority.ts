/**
 * Rule 10: just before anything is signed, what is about to be paid is computed again from the
 * rows. A row that somebody changed behind the service no longer adds up, and is not paid.
 */
import { versionHashOf } from '#expenses/expense.ts'
import { timestampToSeconds } from '#platform/clock.ts'
import { canonicalHash, chainPaymentIdOf, organizationHash } from '#platform/digest.ts'
import { digestOf } from '#platform/typed-data.ts'
import type { Authority } from './authority.store.ts'
import type { PaymentRow } from './payments.store.ts'

type Asked = { payment: PaymentRow; authority: Authority; executorAddress: string; now: string }

/** Why it must not be paid; undefined when everything still holds. */
export function authorityRefusal(asked: Asked): string | undefined {
  const { paidByVaultId } = asked.authority
  if (paidByVaultId === asked.payment.vaultId) return 'payment_already_executed'
  if (paidByVaultId !== null) return 'paid_by_another_vault'
  return outOfService(asked) ?? approvalRefusal(asked) ?? tamperedWith(asked)
}

function outOfService({ payment, authority, executorAddress, now }: Asked): string | undefined {
  if (!authority.isVaultUsable) return 'vault_archived'
  if (!authority.isRecipientActive) return 'recipient_deactivated'
  if (authority.policyExecutor !== executorAddress) return 'executor_mismatch'
  if (payment.deadline <= now) {
    return payment.mode === 'approved' ? 'approval_expired' : 'deadline_passed'
  }
  return undefined
}

function approvalRefusal({ payment, authority }: Asked): string | undefined {
  if (payment.policyVersion !== authority.policyVersion) return 'approval_superseded'
  if (payment.mode === 'automatic') return undefined
  if (authority.isRoleActive !== true) return 'approver_revoked'
  const isSigned = authority.approvalState === 'signed' && !authority.isCancelled
  if (isSigned) return undefined
  return authority.isCancelled ? 'approval_cancelled' : `approval_${authority.approvalState}`
}

function tamperedWith({ payment, authority }: Asked): string | undefined {
  const { organizationId, expenseId } = payment
  const { chainId, vaultAddress, tokenAddress } = authority
  const versionHash = versionHashOf({
    organizationId,
    expenseId,
    revision: authority.revision,
    vaultId: payment.vaultId,
    vaultAddress,
    chainId,
    tokenAddress,
    recipientAddress: authority.recipientAddress,
    amount: authority.amount,
    requestedMode: authority.requestedMode,
    purpose: authority.purpose,
  })
  const organization = organizationHash({ organizationId, salt: authority.salt })
  const chainPaymentId = chainPaymentIdOf({
    chainId,
    organizationHash: organization,
    paymentId: payment.id,
  })
  const adds = [
    payment.expenseRevision === authority.currentRevision,
    payment.expenseVersionHash === versionHash && authority.versionHash === versionHash,
    payment.amount === authority.amount,
    payment.mode === 'approved' || authority.requestedMode === 'automatic',
    payment.signature === authority.approvalSignature,
    payment.recipientAddress === authority.recipientAddress,
    payment.tokenAddress === tokenAddress,
    payment.chainPaymentId === chainPaymentId,
    payment.reportHash === canonicalHash(authority.reportOutput),
    payment.approvalDigest === signedDigest(payment, { ...authority, organization }),
  ]
  return adds.every(Boolean) ? undefined : 'evidence_mismatch'
}

/** Null for a payment that nobody signed. */
function signedDigest(
  payment: PaymentRow,
  { chainId, vaultAddress, organization }: Authority & { organization: string },
): string | null {
  const { approvalId, approverAddress } = payment
  if (!approvalId || !approverAddress) return null
  return digestOf({
    chainId,
    vaultAddress,
    approvalId,
    approverAddress,
    organizationHash: organization,
    chainPaymentId: payment.chainPaymentId,
    tokenAddress: payment.tokenAddress,
    recipientAddress: payment.recipientAddress,
    amount: payment.amount,
    policyVersion: payment.policyVersion,
    reportHash: payment.reportHash,
    expenseVersionHash: payment.expenseVersionHash,
    deadlineSeconds: timestampToSeconds(payment.deadline),
  })
}
