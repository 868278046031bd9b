/**
 * The world in which a lane is worked: one lane for each executor address and for each wallet that
 * deposits, its nonces in order where it signs here, the provider's own affair where that sends by
 * itself. What a lane sends is called a payment here; a deposit is one, too.
 * The engine knows nothing else: PostgreSQL and RPC nodes stand behind these types in production,
 * memory and a simulated chain in the simulator. Types only.
 *
 * All times are milliseconds; those of the store are the database's, never a worker's.
 */
import type { Execution } from '@countersign/proof/execution.ts'
import type { PaymentState } from '#payments/payment.machine.ts'
import type { BlockCode } from '#platform/block-codes.ts'
import type { EntrustAnswer, Entrusting } from '#ports/executor-provider.ts'
import type {
  AttemptReceipt,
  ExecutionLog,
  Fees,
  NodeEvidence,
  NodeSendAnswer,
  Preflight,
  VaultCall,
} from '#ports/payment-node.ts'
import type { Attempt, EntrustedAttempt, EntrustedWord, SignedAttempt } from './attempt.ts'
import type { MarketFees } from './market-fees.ts'

export type LanePayment = {
  id: string
  /** Counts its incarnations: grows whenever it is reserved or released anew. */
  epoch: number
  state: PaymentState
  stateSinceMs: number
  call: VaultCall
  /**
   * What the vault's log must say, field by field, whoever sent it. Null: no log is looked for, and
   * a successful receipt of an attempt is the proof.
   */
  expected: Execution | null
  blockCode?: BlockCode | null
  /** A person has looked at it, and takes for lost what was signed or entrusted. */
  isGivenUp?: boolean
  /** All of one kind, by nonce and then by fee rank: the last one is the newest. */
  attempts: Attempt[]
}

export type Lane = {
  id: string
  /** The executor's. */
  address: string
  nowMs: number
  nextNonce: number
  /** The chain was ahead of the database: only looks until everything is matched. */
  isHeld: boolean
  /** The highest block that a final decision of this lane stands on. */
  finalizedFloor: number
  /** The block up to which the books know what the vaults did. */
  followedTo: number
  /**
   * In flight, and blocked ones that may have paid: with an attempt that is not cleared, or
   * blocked as `payment_already_executed`. In the order of their nonces.
   */
  unsettled: LanePayment[]
  /** Due for sending, in the order of their release. Held back until later: not among them. */
  queued: LanePayment[]
  /** When the first of those that are held back is due. */
  queuedDueInMs: number | null
}

/** Every write carries the lane's epoch; the lane's next claim makes it stale. */
export type Fence = { laneId: string; epoch: number }

/** `stale`: the fence, the payment's epoch or its state is no longer so; no row was changed. */
export type Written = 'done' | 'stale'

/** What is on record and is to be sent, with the payment as it stands then. */
export type Sending<A = SignedAttempt> = { payment: LanePayment; attempt: A }

/** What a provider said of one that was entrusted to it, or its silence when it was asked. */
export type Heard = Sending<EntrustedAttempt> & {
  /** Null: no answer. */
  report: {
    word: EntrustedWord
    providerReference: string | null
    transactionHash: string | null
    /** Why, in a short word of the provider's. */
    code: string | null
  } | null
  heardBlock: number | null
  /** It was asked to send, not only how it stands. */
  wasAsked: boolean
  event: 'accept' | 'lose' | null
}

export type PostponeReason = 'chain_unavailable' | 'gas_missing' | 'fees_above_ceiling'

type PaymentWrite = { fence: Fence; payment: LanePayment }

/** By the vault's log, or by a receipt where `expected` is null. */
export type Confirmation = { payment: LanePayment } & (
  | { log: ExecutionLog }
  | { receipt: AttemptReceipt }
)

/** Each of these is one short transaction. It rejects when it cannot tell whether it committed. */
export type LaneStore = {
  /** Takes the lease if nobody's is alive, and with it the next epoch. */
  claimLane(input: {
    laneId: string
    leaseMs: number
  }): Promise<{ outcome: 'claimed'; fence: Fence } | { outcome: 'busy'; freeInMs: number }>
  /** From now on, for as long again. */
  renewLane(input: { fence: Fence; leaseMs: number }): Promise<Written>
  releaseLane(input: { fence: Fence }): Promise<Written>
  /** One consistent read. */
  loadLane(input: { fence: Fence; queuedMax: number }): Promise<Lane | 'stale'>

  /**
   * Locks the lane and the payments, and leaves out what is no longer as it was loaded. Recomputes
   * what was approved from the rows (rule 10) and blocks what does not hold; for each of the others
   * takes the lane's next nonce, signs, stores the attempt and moves the payment to submitting: all
   * of it or nothing. In return those that are on record, in the order of their nonces.
   */
  writeAhead(input: {
    fence: Fence
    payments: readonly LanePayment[]
    fees: Fees
    /** The account's next nonce at the highest head, for lanes that share their account. */
    chainNonce: number
  }): Promise<Sending[] | 'stale'>
  /**
   * Another attempt with the nonce and the call of `replaced`, one fee rank higher. `refused`: the
   * signer does not sign it any more, and the bytes on record remain all there is.
   */
  writeReplacement(
    input: PaymentWrite & { replaced: SignedAttempt; fees: Fees },
  ): Promise<SignedAttempt | 'refused' | 'stale'>
  /** Notes the time; `accept` and `lose` are moved along in the same transaction. */
  recordSends(input: {
    fence: Fence
    sends: readonly (Sending & { event: 'accept' | 'lose' | null })[]
  }): Promise<Written>

  /** Retried later, with exponential backoff. Missing gas and high fees are reported. */
  postpone(input: PaymentWrite & { reason: PostponeReason }): Promise<Written>
  lose(input: PaymentWrite): Promise<Written>
  block(input: PaymentWrite & { code: BlockCode }): Promise<Written>
  /** A blocked one that may have paid is looked after again. */
  reconcile(input: PaymentWrite): Promise<Written>
  /** Clears every attempt (rule N holds for all of them) and raises the floor. */
  fail(input: PaymentWrite & { code: BlockCode; finalizedNumber: number }): Promise<Written>
  /** Those whose log is applied to the vault's books; the others later. Raises the floor. */
  confirm(input: {
    fence: Fence
    confirmations: readonly Confirmation[]
    finalizedNumber: number
  }): Promise<Written>
}

/** Rule 11: the hold of a lane whose account nobody else uses. */
export type HoldStore = {
  holdLane(input: { fence: Fence; chainNonce: number }): Promise<Written>
  /**
   * Blocks as `payment_already_executed` whatever is unsent here although a vault of the executor
   * has its log: the next passes confirm it. `kept` while a log is not matched by a confirmed
   * payment; else the lane continues with the chain's nonce, or with its own if that is higher.
   */
  releaseHold(input: {
    fence: Fence
    chainNonce: number
    /** The block at which the nonce was read: the books must have come as far. */
    finalizedNumber: number
  }): Promise<Written | 'kept'>
}

/** What is on record of payments that a provider sends by itself. */
export type DelegationStore = {
  /** As `writeAhead`; on record is not a signature but the key that the provider is asked with. */
  writeEntrusted(input: {
    fence: Fence
    payments: readonly LanePayment[]
  }): Promise<Sending<EntrustedAttempt>[] | 'stale'>
  /** Notes that the provider is about to be asked again. */
  recordTries(input: {
    fence: Fence
    tries: readonly Sending<EntrustedAttempt>[]
  }): Promise<Written>
  /** Notes what was heard and when; `accept` and `lose` are moved along. */
  recordWords(input: { fence: Fence; words: readonly Heard[] }): Promise<Written>
  /** Like `fail`, but blocked: whether it is tried again is for a person. */
  deny(input: PaymentWrite & { code: BlockCode; finalizedNumber: number }): Promise<Written>
  /** What a vault has paid and is unsent or failed here: looked after, so that it is confirmed. */
  adoptExecuted(input: { fence: Fence }): Promise<Written>
}

/** `unavailable`: nobody can tell now. `disagree`: two nodes have the height and differ on it. */
export type Unsure = { outcome: 'unavailable' } | { outcome: 'disagree' }

export type LaneView =
  | Unsure
  | {
      outcome: 'seen'
      /** The newest block of all that any node has. */
      headNumber: number
      finalizedNumber: number
      /** The account's next nonce there: every lower one is used for ever. */
      finalizedNonce: number
      /** At the heads of the nodes: what enough of them have come to, and what any one has. */
      headNonce: { common: number; highest: number }
      market: MarketFees
      gasBalance: bigint
    }

export type PaymentView = Unsure | ({ outcome: 'seen' } & NodeEvidence)

export type SendAnswer = NodeSendAnswer | 'lost'

/** What the nodes say together; never rejects. */
export type LaneChain = {
  /** At no height above `upTo`: what the books have not read yet cannot be settled. */
  lookAtLane(input: { address: string; upTo: number }): Promise<LaneView>
  lookAtPayment(input: { payment: LanePayment; blockNumber: number }): Promise<PaymentView>
  preflight(input: {
    from: string
    call: VaultCall
  }): Promise<Preflight | { outcome: 'unavailable' }>
  send(input: { raw: string }): Promise<SendAnswer>
}

export type LaneSettings = {
  leaseMs: number
  /** Unmined transactions of one address at a time. */
  inFlightMax: number
  lookEveryMs: number
  lookAtBlockedEveryMs: number
  resendAfterMs: number
  /** In flight and unseen for so long: the outcome is unknown. */
  loseAfterMs: number
  /** The first replacement; each next one waits twice as long. */
  replaceAfterMs: number
}

/** A provider that sends by itself, for the executor of this lane. */
export type Provider = Omit<Entrusting, 'submit'> & {
  submit(input: {
    idempotencyKey: string
    call: VaultCall
    signal: AbortSignal
  }): Promise<EntrustAnswer>
  /** For so long, or until the signal: a provider may take minutes, and the lease must not end. */
  pause(ms: number, signal: AbortSignal): Promise<void>
  /** The worker is to end soon, and waits for no answer any more. */
  stopping: AbortSignal
}

/**
 * `signs`: the store signs; `holds` is null where others use the account as well, so that the
 * chain's nonce may pass the database's at any time. `sends`: a provider signs and sends. `away`:
 * whoever has the key is not configured here, and the lane only looks.
 */
export type LaneExecutor =
  | { kind: 'signs'; holds: HoldStore | null }
  | { kind: 'sends'; provider: Provider; delegations: DelegationStore }
  | { kind: 'away' }

export type LaneWorld = {
  store: LaneStore
  chain: LaneChain
  executor: LaneExecutor
  /** The worker's own: tells how long, never when. */
  monotonicMs(): number
  settings: LaneSettings
}

/** The right to work the lane for a while: writes are fenced by its epoch, sends by its end. */
export type Lease = {
  fence: Fence
  /** By the worker's own clock, read before the store was asked: never later than the store's. */
  endsAtMs: number
}

/** What a pass has in its hands after its look at the chain. */
export type Pass = { world: LaneWorld; lease: Lease; lane: Lane; view: LaneView }
