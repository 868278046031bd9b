/** An unrecorded payment as callers see it. */
import { checksummed } from '@countersign/proof/values.ts'
import type { UnrecordedRow } from './unrecorded-payments.store.ts'

export const toUnrecordedPayment = ({
  amount,
  blockTime,
  approvalDigests,
  approverAddresses,
  ...row
}: UnrecordedRow) => ({
  ...row,
  vaultAddress: checksummed(row.vaultAddress),
  recipientAddress: checksummed(row.recipientAddress),
  approvalDigest: approvalDigests[0] ?? null,
  approverAddress: approverAddresses.map(checksummed)[0] ?? null,
  approvalDigests,
  approverAddresses: approverAddresses.map(checksummed),
  amountBaseUnits: amount.toString(),
  executedAt: blockTime,
})

export type UnrecordedPaymentRecord = ReturnType<typeof toUnrecordedPayment>
