/**
 * The payment engine's types and dependencies. There is one lane per executor address and one per
 * depositing wallet. The engine assigns the nonces of a local executor; a delegated executor's
 * provider assigns its own. Everything a lane sends is called a payment here, deposits included.
 *
 * PostgreSQL and RPC nodes implement these types in production; the simulator implements them in
 * memory. Types only. Times are milliseconds; times from the store are database time.
 */
import type { Execution } from '@countersign/proof/execution.ts'
import type { PaymentState } from '#payments/payment.machine.ts'
import type { BlockCode } from '#platform/block-codes.ts'
import type { Delegation, SubmitAnswer } from '#ports/executor-provider.ts'
import type {
  AttemptReceipt,
  ExecutionLog,
  Fees,
  NodeEvidence,
  NodeExhausted,
  NodeSendAnswer,
  Preflight,
  VaultCall,
} from '#ports/payment-node.ts'
import type { Attempt, DelegatedAttempt, ReportedStatus, SignedAttempt } from './attempt.ts'
import type { MarketFees } from './market-fees.ts'

export type LanePayment = {
  id: string
  /** Grows each time the payment is reserved or released again. */
  epoch: number
  state: PaymentState
  stateSinceMs: number
  call: VaultCall
  /**
   * The fields that the vault's log must have, whoever sent the transaction. Null for a deposit:
   * a successful receipt of an attempt is its proof.
   */
  expected: Execution | null
  blockCode?: BlockCode | null
  /** A person has decided that the attempts will never be mined. */
  isGivenUp?: boolean
  /** All of one kind, ordered by nonce and fee rank: the last one is the newest. */
  attempts: Attempt[]
}

export type Lane = {
  id: string
  /** The executor's address. */
  address: string
  nowMs: number
  nextNonce: number
  /** The chain was ahead of the database: nothing is sent until every payment is matched. */
  isHeld: boolean
  /** The highest block on which this lane has based a final decision. */
  finalizedFloor: number
  /** The last block whose vault logs the follower has stored. */
  followedTo: number
  /**
   * Payments in flight, and blocked payments that may have paid: those with an attempt that is not
   * cleared, and those blocked as `payment_already_executed`. Ordered by nonce.
   */
  unsettled: LanePayment[]
  /** Due for sending, in the order of their release. Postponed payments are not included. */
  queued: LanePayment[]
  /** When the first postponed payment is due; null without one. */
  queuedDueInMs: number | null
}

/** The fencing token: every write carries it, and the next claim of the lane makes it stale. */
export type FencingToken = { laneId: string; epoch: number }

/** `stale`: the token, or the payment's epoch or state, has changed; no row was written. */
export type WriteOutcome = 'done' | 'stale'

/** A persisted attempt that is to be sent, and its payment. */
export type Sending<A = SignedAttempt> = { payment: LanePayment; attempt: A }

/** What a provider reported about one delegated attempt. */
export type AttemptReport = Sending<DelegatedAttempt> & {
  /** Null: the provider did not answer. */
  report: {
    status: ReportedStatus
    providerReference: string | null
    transactionHash: string | null
    /** The provider's reason code. */
    code: string | null
  } | null
  reportedBlock: number | null
  /** The provider was asked to send, not only polled. */
  wasAsked: boolean
  event: 'accept' | 'lose' | null
}

export type PostponeReason = 'chain_unavailable' | 'gas_missing' | 'fees_above_ceiling' | 'behind'

/** The vault refuses the payment until the period ends; it may be accepted in the next one. */
export type PeriodEnd = { endsAtSeconds: number }

type PaymentWrite = { token: FencingToken; payment: LanePayment }

/** Proven by the vault's log, or by a receipt where `expected` is null. */
export type Confirmation = { payment: LanePayment } & (
  | { log: ExecutionLog }
  | { receipt: AttemptReceipt }
)

/** Each method is one short transaction. It rejects when the commit is uncertain. */
export type LaneStore = {
  /** Takes the lease unless another one is valid; the new token has the next epoch. */
  claimLane(input: {
    laneId: string
    leaseMs: number
  }): Promise<{ outcome: 'claimed'; token: FencingToken } | { outcome: 'busy'; freeInMs: number }>
  /** Extends the lease to `leaseMs` from now. */
  renewLane(input: { token: FencingToken; leaseMs: number }): Promise<WriteOutcome>
  releaseLane(input: { token: FencingToken }): Promise<WriteOutcome>
  /** Reads one consistent snapshot. */
  loadLane(input: { token: FencingToken; queuedMax: number }): Promise<Lane | 'stale'>

  /**
   * Locks the lane and the payments, and skips payments that changed since they were loaded.
   * Verifies each authorization again from the rows (rule 10) and blocks payments that fail. For
   * each other payment it takes the next nonce, signs, stores the attempt and moves the payment to
   * `submitting`, all in one transaction. Returns the stored attempts in nonce order.
   */
  writeAhead(input: {
    token: FencingToken
    payments: readonly LanePayment[]
    fees: Fees
    /** The account's next nonce at the highest head. Lanes that share their account need it. */
    chainNonce: number
  }): Promise<Sending[] | 'stale'>
  /**
   * Stores an attempt with the nonce and call of `replaced`, one fee rank higher. `refused`: the
   * signer no longer signs it, so only the stored attempts can be sent.
   */
  writeReplacement(
    input: PaymentWrite & { replaced: SignedAttempt; fees: Fees },
  ): Promise<SignedAttempt | 'refused' | 'stale'>
  /** Records the time of the sends and applies the `accept` and `lose` events. */
  recordSends(input: {
    token: FencingToken
    sends: readonly (Sending & { event: 'accept' | 'lose' | null })[]
  }): Promise<WriteOutcome>

  /** Retried later, with exponential backoff. Missing gas and high fees are reported. */
  postpone(input: PaymentWrite & { reason: PostponeReason }): Promise<WriteOutcome>
  /** Retried when the period ends, or blocked if that is after the payment's deadline. */
  awaitPeriod(input: PaymentWrite & PeriodEnd): Promise<WriteOutcome>
  lose(input: PaymentWrite): Promise<WriteOutcome>
  block(input: PaymentWrite & { code: BlockCode }): Promise<WriteOutcome>
  /** Resumes a blocked payment that may have paid. */
  reconcile(input: PaymentWrite): Promise<WriteOutcome>
  /** Clears every attempt, for which the finality rule must hold, and raises the floor. */
  fail(input: PaymentWrite & { code: BlockCode; finalizedNumber: number }): Promise<WriteOutcome>
  /**
   * Clears every attempt like `fail`, and returns the payment to the queue until the period ends.
   * Blocks it if that is after its deadline, and fails it if its authorization has ended.
   */
  requeue(input: PaymentWrite & PeriodEnd & { finalizedNumber: number }): Promise<WriteOutcome>
  /** Confirms payments whose log the follower has applied; the others wait. Raises the floor. */
  confirm(input: {
    token: FencingToken
    confirmations: readonly Confirmation[]
    finalizedNumber: number
  }): Promise<WriteOutcome>
}

/** Rule 11: holds a lane whose account only the engine uses. */
export type HoldStore = {
  holdLane(input: { token: FencingToken; chainNonce: number }): Promise<WriteOutcome>
  /**
   * Blocks unsent payments that a vault has already paid as `payment_already_executed`; the next
   * passes confirm them. Returns `kept` while the follower is behind or an attempt may still be
   * mined. Then the lane continues at the chain's nonce, or at its own if that is higher.
   */
  releaseHold(input: {
    token: FencingToken
    chainNonce: number
    /** The block at which the nonce was read. The follower must have reached it. */
    finalizedNumber: number
  }): Promise<WriteOutcome | 'kept'>
}

/** Writes about payments that a provider signs and sends. */
export type DelegationStore = {
  /** Like `writeAhead`, but stores the idempotency key of the request instead of a signature. */
  writeDelegated(input: {
    token: FencingToken
    payments: readonly LanePayment[]
  }): Promise<Sending<DelegatedAttempt>[] | 'stale'>
  /** Records that the provider is about to be asked again. */
  recordRetries(input: {
    token: FencingToken
    retries: readonly Sending<DelegatedAttempt>[]
  }): Promise<WriteOutcome>
  /** Stores the reports and their time, and applies the `accept` and `lose` events. */
  recordReports(input: {
    token: FencingToken
    reports: readonly AttemptReport[]
  }): Promise<WriteOutcome>
  /** Like `fail`, but blocks the payment: a person decides whether to retry it. */
  deny(input: PaymentWrite & { code: BlockCode; finalizedNumber: number }): Promise<WriteOutcome>
  /** Adopts payments that a vault has paid and the database has as unsent or failed. */
  adoptExecuted(input: { token: FencingToken }): Promise<WriteOutcome>
}

/** `unavailable`: too few nodes answer. `disagree`: two nodes differ about the same block. */
export type Unsure = { outcome: 'unavailable' } | { outcome: 'disagree' }

export type LaneView =
  | Unsure
  | {
      outcome: 'seen'
      /** The newest block of any node. */
      headNumber: number
      finalizedNumber: number
      /** The account's next nonce at that block: every lower nonce is used for good. */
      finalizedNonce: number
      /** Next nonce at the heads: `common` is reached by a quorum, `highest` by at least one. */
      headNonce: { common: number; highest: number }
      market: MarketFees
      gasBalance: bigint
    }

export type PaymentView = Unsure | ({ outcome: 'seen' } & NodeEvidence)

export type SendAnswer = NodeSendAnswer | 'lost'

/** The agreed view of several nodes. Never rejects. */
export type LaneChain = {
  /** At no block above `upTo`: payments cannot be settled before the follower reads them. */
  observeLane(input: { address: string; upTo: number }): Promise<LaneView>
  observePayment(input: { payment: LanePayment; blockNumber: number }): Promise<PaymentView>
  preflight(input: {
    from: string
    call: VaultCall
  }): Promise<Preflight | { outcome: 'unavailable' }>
  /** The period that made the call revert in a final block, if it was one. */
  exhaustedIn(input: {
    from: string
    call: VaultCall
    blockNumber: number
  }): Promise<Unsure | ({ outcome: 'seen' } & NodeExhausted)>
  send(input: { raw: string }): Promise<SendAnswer>
}

export type LaneSettings = {
  leaseMs: number
  /** Unmined transactions of one address at a time. */
  inFlightMax: number
  pollEveryMs: number
  pollBlockedEveryMs: number
  resendAfterMs: number
  /** A payment that is in flight and unseen for this long has an unknown outcome. */
  loseAfterMs: number
  /** Wait before the first replacement; it doubles with each one. */
  replaceAfterMs: number
}

/** The provider of this lane's delegated executor. */
export type Provider = Omit<Delegation, 'submit'> & {
  submit(input: {
    idempotencyKey: string
    call: VaultCall
    signal: AbortSignal
  }): Promise<SubmitAnswer>
  /** Waits until the time is over or the signal aborts. Paces the renewals of the lease. */
  pause(ms: number, signal: AbortSignal): Promise<void>
  /** Aborts when the worker shuts down: no answer is awaited after that. */
  stopping: AbortSignal
}

/**
 * `signs`: the store signs. `holds` is null where others also use the account, because the chain's
 * nonce can then pass the database's at any time. `sends`: a provider signs and sends.
 * `unavailable`: the key's provider is not configured here, so the lane only observes.
 */
export type LaneExecutor =
  | { kind: 'signs'; holds: HoldStore | null }
  | { kind: 'sends'; provider: Provider; delegations: DelegationStore }
  | { kind: 'unavailable' }

export type LaneDeps = {
  store: LaneStore
  chain: LaneChain
  executor: LaneExecutor
  /** The worker's monotonic clock: for durations only. */
  monotonicMs(): number
  settings: LaneSettings
}

/** The exclusive right to work a lane. Its token guards writes, its end guards sends. */
export type Lease = {
  token: FencingToken
  /** On the worker's monotonic clock, read before the claim: never later than in the store. */
  endsAtMs: number
}

/** The state of a pass after it has observed the chain. */
export type Pass = { deps: LaneDeps; lease: Lease; lane: Lane; view: LaneView }
