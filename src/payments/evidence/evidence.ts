/**
 * Builds the evidence bundle: revision, report, policy and signature, linked by hashes to the
 * vault's log. Anyone can verify it without the service. Pure.
 */
import { isDeepStrictEqual } from 'node:util'
import { organizationHash } from '@countersign/proof/digest.ts'
import type { Evidence, EvidenceApproval, LoggedFields } from '@countersign/proof/evidence.ts'
import { toStoredExecution } from '@countersign/proof/execution.ts'
import { checksummed } from '@countersign/proof/values.ts'
import { executionOf } from '#payments/lane-store/lane-rows.ts'
import type { PaymentRow, ReceiptRow } from '#payments/payments.store.ts'
import type { EvidenceRow } from './evidence.store.ts'

/** Addresses in checksummed form. */
const shown = (fields: LoggedFields): LoggedFields =>
  Object.fromEntries(
    Object.entries(fields).map(([key, value]) => {
      if (key === 'approverAddresses' && Array.isArray(value)) return [key, value.map(checksummed)]
      return [key, key.endsWith('Address') ? checksummed(String(value)) : value]
    }),
  )

const approvalsOf = ({ signatures }: PaymentRow, { typedData }: EvidenceRow): EvidenceApproval[] =>
  signatures.flatMap(({ approvalId: id, approverAddress, digest, signature }) => {
    const signed = typedData[id]
    if (!signed) return []
    const approver = checksummed(approverAddress)
    return [{ id, approverAddress: approver, digest, signature, typedData: signed }]
  })

const revisionOf = (payment: PaymentRow, row: EvidenceRow): Evidence['revision'] => ({
  organizationId: payment.organizationId,
  expenseId: payment.expenseId,
  revision: row.revision,
  vaultId: payment.vaultId,
  vaultAddress: checksummed(row.vaultAddress),
  chainId: row.chainId,
  tokenAddress: checksummed(payment.tokenAddress),
  recipientAddress: checksummed(payment.recipientAddress),
  amountBaseUnits: payment.amount.toString(),
  requestedMode: row.requestedMode,
  purpose: row.purpose,
  attachments: row.attachments ?? [],
  category: row.category,
  reference: row.reference,
  dueDate: row.dueDate,
  versionHash: row.versionHash,
})

export function evidenceOf(
  payment: PaymentRow,
  row: EvidenceRow,
  receipt: ReceiptRow | undefined,
): Evidence {
  const { organizationId, approvalId } = payment
  const { vaultAddress } = row
  const asked = toStoredExecution(executionOf({ ...payment, vaultAddress }))
  const logged = receipt?.execution
  const approvals = approvalsOf(payment, row)
  return {
    version: 2,
    revision: revisionOf(payment, row),
    report: {
      id: payment.reportId,
      reportHash: payment.reportHash,
      output: row.reportOutput,
    },
    policy: row.policy && {
      version: payment.policyVersion,
      ...row.policy,
      executorAddress: checksummed(row.policy.executorAddress),
      approverAddresses: row.policy.approverAddresses.map(checksummed),
    },
    recipient: row.recipient,
    approval: approvals.find(({ id }) => id === approvalId) ?? null,
    approvals,
    payment: {
      id: payment.id,
      organizationHash: organizationHash({ organizationId, salt: row.salt }),
      chainPaymentId: payment.chainPaymentId,
      mode: payment.mode,
      deadline: payment.deadline,
    },
    asked: shown(asked),
    event:
      receipt && logged
        ? {
            ...shown(logged),
            transactionHash: receipt.transactionHash,
            blockNumber: receipt.blockNumber,
            blockHash: receipt.blockHash,
          }
        : null,
    matches:
      logged !== undefined &&
      Object.keys(asked).every((key) => isDeepStrictEqual(asked[key], logged[key])),
  }
}
