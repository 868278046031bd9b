/** Tries at paying: what is on record before anybody else can see it. Types only. */
import type { EntrustedState } from '#ports/executor-provider.ts'
import type { Fees } from '#ports/payment-node.ts'

type Written = {
  id: string
  /** By the database. */
  writtenAtMs: number
}

/** Bytes that were signed here, and may be mined for ever after. */
export type SignedAttempt = Written & {
  kind: 'signed'
  nonce: number
  /** 0 for the first at its nonce; each replacement is one more. */
  feeRank: number
  fees: Fees
  transactionHash: string
  raw: string
  /** When a send of these bytes was last recorded. Null: maybe never, maybe a crash forgot. */
  sentAtMs: number | null
}

/** The provider's, or `refused`: to the first request with a key it said that it makes nothing. */
export type EntrustedWord = EntrustedState | 'refused'

/** A call that a provider is asked to send. Once it was asked, it may send it at any time. */
export type EntrustedAttempt = Written & {
  kind: 'entrusted'
  /** One transaction of the provider's for each, however often it is asked. */
  idempotencyKey: string
  /** The provider's own id of it; null while it has not answered. */
  providerReference: string | null
  /** The last that is on record; null while the provider has not answered. */
  word: EntrustedWord | null
  heardAtMs: number | null
  /**
   * Only with a word that the provider has no more to do: a block that was the newest of all when
   * the word was known already. Whatever the provider did before it spoke is in no later one.
   */
  heardBlock: number | null
  /** The last that the provider named. Its sender may be a bundler. */
  transactionHash: string | null
  /** The rows still make the call that it was written for. */
  isSameCall: boolean
  /** When the provider was last asked to send it. Null: at most once, after it was written. */
  sentAtMs: number | null
}

export type Attempt = SignedAttempt | EntrustedAttempt
