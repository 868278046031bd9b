/**
 * The evidence bundle of a payment: a chain of hashes from the expense revision through report,
 * policy and signature to the vault's log. Types only.
 */
import type { TypedData } from './typed-data.ts'

export type EvidencePolicy = {
  executorAddress: string
  approverAddresses: string[]
  approvedCap: string
  automaticCap: string
  lifetimeCap: string
  reserveFloor: string
  /** 0 without a period; then both period caps are 0. */
  periodSeconds: number
  periodCap: string
  automaticPeriodCap: string
  tiers: { above: string; approvals: number }[]
  expiresAt: string
  automaticEnabled: boolean
  /** The transaction that put it into force. */
  chainTransactionHash: string
  /** The proposal that it was. Null if it did not wait. */
  proposal: { id: string; transactionHash: string; activatesAt: string } | null
}

/** The log that allowed the recipient. */
export type EvidenceRecipient = {
  /** The number of the list after the change. */
  recipientsVersion: number
  allowedFrom: string
  transactionHash: string
}

export type EvidenceApproval = {
  id: string
  approverAddress: string
  digest: string
  signature: string
  typedData: TypedData
}

/** The fields of the vault's `PaymentExecuted`. */
export type LoggedFields = Record<string, string | number | string[]>

/** The revision's hash covers `sha256` alone; the rest helps to find the file. */
export type EvidenceAttachment = {
  name: string
  mediaType: string
  sizeBytes: number
  /** 64 lower-case hex digits, as `sha256sum` prints them. */
  sha256: string
}

export type Evidence = {
  version: 2
  revision: {
    organizationId: string
    expenseId: string
    revision: number
    vaultId: string
    vaultAddress: string
    chainId: number
    tokenAddress: string
    recipientAddress: string
    amountBaseUnits: string
    requestedMode: 'approved' | 'automatic'
    purpose: string
    /** Absent from bundles of earlier versions, like the three fields below. */
    attachments?: EvidenceAttachment[]
    category?: string | null
    reference?: string | null
    dueDate?: string | null
    versionHash: string
  }
  report: { id: string; reportHash: string; output: unknown }
  policy: ({ version: number } & EvidencePolicy) | null
  recipient: EvidenceRecipient | null
  /** The first signature. Null for automatic payments. */
  approval: EvidenceApproval | null
  /** All signatures, ascending by approver, as the vault took them. */
  approvals: EvidenceApproval[]
  payment: {
    id: string
    organizationHash: string
    chainPaymentId: string
    mode: 'approved' | 'automatic'
    deadline: string
  }
  /** What the vault was asked to log, beside what it has logged. */
  asked: LoggedFields
  event: (LoggedFields & { transactionHash: string; blockNumber: number; blockHash: string }) | null
  matches: boolean
}
