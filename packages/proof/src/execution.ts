/** What a vault logs, and the policy it enforces. */

/** A policy as the vault's log carries it. Addresses are lower case, expiry is unix seconds. */
export type ChainPolicy = {
  executorAddress: string
  expiresAtSeconds: number
  automaticEnabled: boolean
  paused: boolean
  approvedCap: bigint
  automaticCap: bigint
  lifetimeCap: bigint
  reserveFloor: bigint
  approverAddresses: string[]
  recipientAddresses: string[]
}

/** What the vault's `PaymentExecuted` says, or must say; `spentTotal` is the vault's own sum. */
export type Execution = {
  vaultAddress: string
  chainPaymentId: string
  recipientAddress: string
  mode: 'approved' | 'automatic'
  amount: bigint
  policyVersion: number
  reportHash: string
  expenseVersionHash: string
  approvalDigest: string
  approverAddress: string
}

/** As it is kept with the receipt, and shown as evidence. */
export const toStoredExecution = (log: Execution): Record<string, string | number> => ({
  vaultAddress: log.vaultAddress,
  chainPaymentId: log.chainPaymentId,
  recipientAddress: log.recipientAddress,
  mode: log.mode,
  amountBaseUnits: log.amount.toString(),
  policyVersion: log.policyVersion,
  reportHash: log.reportHash,
  expenseVersionHash: log.expenseVersionHash,
  approvalDigest: log.approvalDigest,
  approverAddress: log.approverAddress,
})
