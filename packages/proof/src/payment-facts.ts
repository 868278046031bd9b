/** What one node says about one payment, for checking evidence without the service. Types only. */
import type { ChainPolicy, Execution } from './execution.ts'

/** Addresses and hashes are lower case. */
export type PaymentQuestion = {
  chainId: number
  vaultAddress: string
  tokenAddress: string
  chainPaymentId: string
  transactionHash: string
  /** The transaction that configured the policy of `policyVersion`. */
  policyTransactionHash: string | null
  policyVersion: number
  /** Present when the signature is not of the approver's own key: its contract is asked. */
  contractSignature: { address: string; digest: string; signature: string } | null
}

/** A block that a receipt names, beside the one that the node has at that height. */
export type BlockFacts = {
  blockNumber: number
  blockHash: string
  canonicalHash: string
  timeSeconds: number
}

export type TransactionFacts = BlockFacts & {
  status: 'success' | 'reverted'
  headNumber: number
  /** Null when the node does not know the tag `finalized`. */
  finalizedNumber: number | null
  /** The vault's `PaymentExecuted` of this payment in this transaction. */
  execution: Execution | null
  /** The token's first transfer out of the vault after that log. */
  transfer: { to: string; amount: bigint } | null
  /** Null when the transaction calls something else, which in turn called the vault. */
  directCall: { deadlineSeconds: number; sender: string } | null
  policy: PolicyFacts | null
  /** From the code before the policy was configured; null when that is not our vault's. */
  vault: { ownerAddress: string; tokenAddress: string; organizationHash: string } | null
  /** Null when no contract was asked. */
  contractAccepts: boolean | null
}

export type PolicyFacts = BlockFacts & {
  /** Whether the vault logged it before the payment. */
  isEarlier: boolean
  version: number
  policy: ChainPolicy
}

export type PaymentFacts = {
  chainId: number
  /** Null when the node serves another chain, or does not have the transaction. */
  transaction: TransactionFacts | null
}

/** One node that is asked about payments; rejects with a message without its URL. */
export type PaymentWitness = { paymentFacts(question: PaymentQuestion): Promise<PaymentFacts> }
