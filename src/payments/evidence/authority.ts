/**
 * Rule 10: just before a payment is signed, recomputes its hashes from the rows and verifies the
 * MACs, which only workers can make. Rows changed or inserted outside the service fail, and the
 * payment is blocked.
 */
import { canonicalHash, chainPaymentIdOf, organizationHash } from '@countersign/proof/digest.ts'
import { requiredApprovals } from '@countersign/proof/execution.ts'
import { digestOf } from '@countersign/proof/typed-data.ts'
import { timestampToSeconds } from '@countersign/proof/values.ts'
import { versionHashOf } from '@countersign/proof/version-hash.ts'
import type { PaymentRow, PaymentSignature } from '#payments/payments.store.ts'
import { isSealedAuthorization, isSealedReport } from '#payments/worker-mac.ts'
import type { BlockCode } from '#platform/block-codes.ts'
import type { MacKey } from '#platform/secrets.ts'
import type { Authority, AuthorityApproval } from './authority.store.ts'

type AuthorityCheck = {
  payment: PaymentRow
  authority: Authority
  executorAddress: string
  now: string
  acceptedKeys: readonly MacKey[]
}

/** Why the payment must not be made; undefined when every check passes. */
export function authorityRefusal(check: AuthorityCheck): BlockCode | undefined {
  const { paidByVaultId } = check.authority
  // Rows that the service did not write must not explain a payment made without it.
  if (paidByVaultId === check.payment.vaultId) {
    return tamperedWith(check) ?? unauthenticated(check) ?? 'payment_already_executed'
  }
  if (paidByVaultId !== null) return 'paid_by_another_vault'
  return (
    outOfService(check) ??
    approvalRefusal(check) ??
    tamperedWith(check) ??
    countRefusal(check) ??
    unauthenticated(check)
  )
}

function outOfService({
  payment,
  authority,
  executorAddress,
  now,
}: AuthorityCheck): BlockCode | undefined {
  if (!authority.isVaultUsable) return 'vault_archived'
  if (!authority.isRecipientActive) return 'recipient_deactivated'
  if (authority.policyExecutor !== executorAddress) return 'executor_mismatch'
  if (payment.deadline <= now) {
    return payment.mode === 'approved' ? 'approval_expired' : 'deadline_passed'
  }
  return undefined
}

function approvalRefusal({ payment, authority }: AuthorityCheck): BlockCode | undefined {
  if (payment.policyVersion !== authority.policyVersion) return 'approval_superseded'
  if (payment.mode === 'automatic') return undefined
  return authority.approvals.map(endOf).find((code) => code !== undefined)
}

/** Why this approval no longer authorises anything. */
function endOf(approval: AuthorityApproval): BlockCode | undefined {
  if (approval.isRoleActive !== true) return 'approver_revoked'
  if (approval.isAllowed !== true) return 'approver_not_allowed'
  if (approval.isCancelled) return 'approval_cancelled'
  return approval.state === 'signed' ? undefined : `approval_${approval.state}`
}

/** The vault counts addresses, and the service counts people. */
function countRefusal({ payment, authority }: AuthorityCheck): BlockCode | undefined {
  if (payment.mode === 'automatic') return undefined
  const tiers = (authority.tiers ?? []).map(({ above, approvals }) => {
    return { above: BigInt(above), approvals }
  })
  const people = new Set(authority.approvals.map(({ accountId }) => accountId)).size
  const isEnough =
    people === requiredApprovals(tiers, payment.amount) && people === payment.signatures.length
  return isEnough ? undefined : 'approval_count_mismatch'
}

function tamperedWith({ payment, authority }: AuthorityCheck): BlockCode | undefined {
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
    attachments: authority.attachments ?? [],
    category: authority.category,
    reference: authority.reference,
    dueDate: authority.dueDate,
  })
  const organization = organizationHash({ organizationId, salt: authority.salt })
  const chainPaymentId = chainPaymentIdOf({
    chainId,
    organizationHash: organization,
    paymentId: payment.id,
  })
  const checks = [
    payment.expenseRevision === authority.currentRevision,
    payment.expenseVersionHash === versionHash && authority.versionHash === versionHash,
    payment.amount === authority.amount,
    payment.mode === 'approved' || authority.requestedMode === 'automatic',
    payment.recipientAddress === authority.recipientAddress,
    payment.tokenAddress === tokenAddress,
    payment.chainPaymentId === chainPaymentId,
    payment.reportHash === canonicalHash(authority.reportOutput),
    areSigned(payment, { ...authority, organization }),
  ]
  return checks.every(Boolean) ? undefined : 'evidence_mismatch'
}

/** The rows match; the MACs show that a worker wrote them. */
function unauthenticated({
  payment,
  authority,
  acceptedKeys,
}: AuthorityCheck): BlockCode | undefined {
  const { expenseRevision: revision, expenseVersionHash: versionHash } = payment
  const terms = { ...payment, revision, versionHash }
  const reported = { mac: authority.reportMac, keyId: authority.reportMacKeyId }
  if (!isSealedReport(acceptedKeys, terms, reported)) return 'report_not_authentic'
  if (payment.mode === 'approved') return undefined
  const authorised = { mac: authority.paymentMac, keyId: authority.paymentMacKeyId }
  if (isSealedAuthorization(acceptedKeys, terms, authorised)) return undefined
  return 'authorization_not_authentic'
}

/**
 * The signatures that the payment counts are those of its approvals, over exactly its terms. An
 * automatic payment has none.
 */
function areSigned(payment: PaymentRow, authority: Authority & { organization: string }): boolean {
  const { signatures, approvalId, approvalDigest } = payment
  const first = signatures.find((one) => one.approvalId === approvalId)
  const isFirst =
    (first?.approvalId ?? null) === approvalId && (first?.digest ?? null) === approvalDigest
  const isExpected = (payment.mode === 'approved') === signatures.length > 0
  return isFirst && isExpected && signatures.every((one) => isSigned(one, payment, authority))
}

function isSigned(
  { approvalId, accountId, approverAddress, digest, signature }: PaymentSignature,
  payment: PaymentRow,
  { chainId, vaultAddress, organization, approvals }: Authority & { organization: string },
): boolean {
  const approval = approvals.find((one) => one.approvalId === approvalId)
  const signed = digestOf({
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
  return (
    digest === signed &&
    approval?.digest === digest &&
    approval.signature === signature &&
    approval.accountId === accountId &&
    approval.approverAddress === approverAddress
  )
}
