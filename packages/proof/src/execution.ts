/** What a vault logs, and the policy it enforces. */

/** Payments above an amount need several approvers. */
export type ChainTier = { above: bigint; approvals: number }

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
  /** 0 without a period; then both period caps are 0. */
  periodSeconds: number
  periodCap: bigint
  automaticPeriodCap: bigint
  tiers: ChainTier[]
  approverAddresses: string[]
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
  /** In the order of the approvers; empty for automatic payments. */
  approvalDigests: string[]
  /** Ascending. */
  approverAddresses: string[]
}

/** How many different approvers a payment needs, as the vault counts them. */
export function requiredApprovals(tiers: readonly ChainTier[], amount: bigint): number {
  return tiers.findLast(({ above }) => amount > above)?.approvals ?? 1
}

/** As it is kept with the receipt, and shown as evidence. */
export const toStoredExecution = (log: Execution): Record<string, string | number | string[]> => ({
  vaultAddress: log.vaultAddress,
  chainPaymentId: log.chainPaymentId,
  recipientAddress: log.recipientAddress,
  mode: log.mode,
  amountBaseUnits: log.amount.toString(),
  policyVersion: log.policyVersion,
  reportHash: log.reportHash,
  expenseVersionHash: log.expenseVersionHash,
  approvalDigests: log.approvalDigests,
  approverAddresses: log.approverAddresses,
})
