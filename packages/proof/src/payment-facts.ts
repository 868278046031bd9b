/** What one node says about one payment, for checking evidence without the service. Types only. */
import type { ChainPolicy, Execution } from './execution.ts'
import type { CountedPayment, PeriodInForce } from './spending-period.ts'

/** Addresses and hashes are lower case. */
export type PaymentQuestion = {
  chainId: number
  vaultAddress: string
  tokenAddress: string
  chainPaymentId: string
  transactionHash: string
  /** The transaction that put the policy of `policyVersion` into force. */
  policyTransactionHash: string | null
  policyVersion: number
  /** Where it waited before. Null if the evidence names no proposal. */
  proposal: { id: string; transactionHash: string } | null
  recipientAddress: string
  /** The transaction that made the list of recipients of `recipientsVersion`. */
  recipientTransactionHash: string | null
  recipientsVersion: number
  approverAddresses: string[]
  /** Signatures that are not of the approver's own key: the approver's contract is asked. */
  contractSignatures: ContractSignature[]
}

export type ContractSignature = { address: string; digest: string; signature: string }

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
  /** From that log: all that the vault had paid, this payment included. */
  spentTotal: bigint | null
  /** The token's first transfer out of the vault after that log. */
  transfer: { to: string; amount: bigint } | null
  /** Null when the transaction calls something else, which in turn called the vault. */
  directCall: { deadlineSeconds: number; sender: string } | null
  policy: PolicyFacts | null
  proposal: ProposalFacts | null
  recipient: RecipientFacts | null
  /** Null when the code is not our vault's, or it has no log of this payment. */
  before: VaultBefore | null
  /** Null when the policy has no period, or its vault is not ours. */
  period: PeriodFacts | null
  /** From the code before the earliest of these logs; null when that is not our vault's. */
  vault: VaultConstants | null
  /** For each contract that was asked about its signature. */
  contractAnswers: { address: string; accepts: boolean }[]
}

export type VaultConstants = {
  ownerAddress: string
  tokenAddress: string
  organizationHash: string
  changeDelaySeconds: number
}

export type PolicyFacts = BlockFacts & {
  /** Whether the vault logged it before the payment. */
  isEarlier: boolean
  version: number
  policy: ChainPolicy
  /** What a proposal of exactly this policy is called. */
  proposalId: string
}

export type ProposalFacts = BlockFacts & {
  /** Whether the vault logged it before it put the policy into force. */
  isEarlier: boolean
  proposalId: string
  expectedVersion: number
  activatesAtSeconds: number
  /** What waited in the vault one block before the policy came into force. Null if nothing did. */
  waiting: { proposalId: string; activatesAtSeconds: number } | null
}

export type RecipientFacts = BlockFacts & {
  /** Whether the vault logged the change before the payment. */
  isEarlier: boolean
  recipientsVersion: number
  allowedFromSeconds: number
  /** Whether the change added the recipient. */
  isAdded: boolean
}

/** The vault's state when it made the payment, from its own getters and the logs of the block. */
export type VaultBefore = {
  /** From when on the recipient was allowed; 0 if it was not listed. */
  allowedFromSeconds: number
  isBlocked: boolean
  /** The signers, and the recipient, as far as they were approvers of the policy. */
  approverAddresses: string[]
}

export type PeriodFacts = {
  /** In chain order, as far back as their sums were carried; the last is the policy in force. */
  policies: PeriodInForce[]
  /** The first second whose payments count, and all that the vault had paid before it. */
  countedSince: number
  spentBefore: bigint
  /** In chain order, from that second to this payment. */
  payments: (CountedPayment & { chainPaymentId: string; spentTotal: bigint })[]
}

export type PaymentFacts = {
  chainId: number
  /** Null when the node serves another chain, or does not have the transaction. */
  transaction: TransactionFacts | null
}

/** One node that is asked about payments; rejects with a message without its URL. */
export type PaymentWitness = { paymentFacts(question: PaymentQuestion): Promise<PaymentFacts> }
