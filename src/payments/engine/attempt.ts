/** Payment attempts. Each is persisted before its transaction is sent. Types only. */
import type { ProviderStatus } from '#ports/executor-provider.ts'
import type { Fees } from '#ports/payment-node.ts'

type Persisted = {
  id: string
  /** Database time. */
  writtenAtMs: number
}

/** A transaction signed by the service. Once sent, it can be mined at any later time. */
export type SignedAttempt = Persisted & {
  kind: 'signed'
  nonce: number
  /** 0 for the first attempt at its nonce; each replacement adds one. */
  feeRank: number
  fees: Fees
  transactionHash: string
  raw: string
  /** Last recorded send. Null: never sent, or a crash came between the send and its record. */
  sentAtMs: number | null
}

/** The provider's status, or `refused`: it rejected the first request with this key. */
export type ReportedStatus = ProviderStatus | 'refused'

/** A call that a provider is asked to send. After the request it may send at any time. */
export type DelegatedAttempt = Persisted & {
  /** The value stored in `payment_attempts.kind`. */
  kind: 'entrusted'
  /** The provider creates one transaction per key, however often it is asked. */
  idempotencyKey: string
  /** The provider's id of the transaction; null until it answers. */
  providerReference: string | null
  /** The last recorded status; null until the provider answers. */
  status: ReportedStatus | null
  reportedAtMs: number | null
  /**
   * The newest block of any node, read after the provider reported that it is done; null before.
   * Everything the provider did before that report is in this block or an earlier one.
   */
  reportedBlock: number | null
  /** The last hash the provider named. The sender may be a bundler. */
  transactionHash: string | null
  /** The rows still encode to the call for which the attempt was written. */
  isSameCall: boolean
  /** When the provider was last asked to send. Null: at most once, right after the insert. */
  sentAtMs: number | null
}

export type Attempt = SignedAttempt | DelegatedAttempt
