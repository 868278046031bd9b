/** An unrecorded payment as callers see it. */
import { checksummed } from '@countersign/proof/values.ts'
import type { UnrecordedRow } from './unrecorded-payments.store.ts'

export const toUnrecordedPayment = ({
  amount,
  blockTime,
  approverAddress,
  ...row
}: UnrecordedRow) => ({
  ...row,
  vaultAddress: checksummed(row.vaultAddress),
  recipientAddress: checksummed(row.recipientAddress),
  approverAddress: approverAddress === null ? null : checksummed(approverAddress),
  amountBaseUnits: amount.toString(),
  executedAt: blockTime,
})

export type UnrecordedPaymentRecord = ReturnType<typeof toUnrecordedPayment>
