/** What the judgements of signed and delegated payments share. Pure. */
import type { Execution } from '@countersign/proof/execution.ts'
import type { BlockCode } from '#platform/block-codes.ts'
import type { AttemptReceipt, ExecutionLog, Fees } from '#ports/payment-node.ts'
import type { DelegatedAttempt, SignedAttempt } from './attempt.ts'
import type { LanePayment, LaneSettings, LaneView, PaymentView, Provider } from './lane.ts'

export type Verdict =
  | { do: 'wait' }
  | { do: 'lose' }
  /** Signed by the service: the same bytes, or the same nonce and call with a higher fee. */
  | { do: 'resend'; attempt: SignedAttempt }
  | { do: 'replace'; replaced: SignedAttempt; fees: Fees }
  /** Delegated: the provider is asked again, with the same key. */
  | { do: 'repeat'; attempt: DelegatedAttempt }
  | { do: 'confirm'; log: ExecutionLog }
  | { do: 'confirm'; receipt: AttemptReceipt }
  | { do: 'fail'; code: BlockCode }
  /** Proven unpaid like `fail`, but a person decides whether to retry. */
  | { do: 'deny'; code: BlockCode }
  | { do: 'block'; code: BlockCode }
  /** Proven unpaid like `fail`, because of a period that ends. */
  | { do: 'requeue'; endsAtSeconds: number }
  | { do: 'reconcile' }

export type Situation = {
  payment: LanePayment
  view: LaneView
  /** Undefined where it was not read: see `isEvidenceDue`. */
  evidence: PaymentView | undefined
  nowMs: number
  finalizedFloor: number
  /** The chain has more attempts than the database: see `compareNonces` in `run-lane.ts`. */
  isChainAhead: boolean
  settings: LaneSettings
  /** Undefined where the service signs. */
  provider?: Pick<Provider, 'poll' | 'repeatAfterMs'> | undefined
}

export type SeenLane = Extract<LaneView, { outcome: 'seen' }>
export type SeenPayment = Extract<PaymentView, { outcome: 'seen' }>

export const WAIT: Verdict = { do: 'wait' }

/**
 * Judges the proof of success at a final block. Undefined: there is none.
 *
 * A payment needs the vault's log (rule 9). A deposit has no id in the vault, but its signed bytes
 * are known and the vault takes the tokens or reverts, so its receipt is enough.
 */
export function judgeSuccess(
  { expected }: Pick<LanePayment, 'expected'>,
  evidence: SeenPayment,
): Verdict | undefined {
  if (expected) return judgeLogs(expected, evidence)
  const receipt = evidence.receipts.find(({ status }) => status === 'success')
  return receipt && { do: 'confirm', receipt }
}

/** Requires every field to be equal, whoever sent the transaction. */
function judgeLogs(expected: Execution, { isExecuted, logs }: SeenPayment): Verdict | undefined {
  if (logs.some((log) => !isEqualTo(expected, log))) {
    return { do: 'block', code: 'execution_mismatch' }
  }
  const [log] = logs
  if (log && isExecuted) return { do: 'confirm', log }
  return log || isExecuted ? { do: 'block', code: 'execution_unexplained' } : undefined
}

const isEqualTo = (expected: Execution, log: ExecutionLog): boolean =>
  Object.entries(expected).every(([field, value]) => isSame(value, log[field as keyof Execution]))

type Value = Execution[keyof Execution]

/** Lists are equal in order too: digests and approvers belong together by their place. */
const isSame = (one: Value, other: Value): boolean =>
  Array.isArray(one) && Array.isArray(other)
    ? one.length === other.length && one.every((value, at) => value === other[at])
    : one === other

/** The finalised height never goes back: nodes below the floor decide nothing. */
export const isHighEnough = ({
  view,
  finalizedFloor,
}: Pick<Situation, 'view' | 'finalizedFloor'>): boolean =>
  view.outcome === 'seen' && view.finalizedNumber >= finalizedFloor

/** Times `loseAfterMs`: long enough for any chain to finalise the transaction. */
const SEARCH_FACTOR = 60

export const isLongAgo = ({ payment, nowMs, settings }: Situation): boolean =>
  nowMs - payment.stateSinceMs >= settings.loseAfterMs * SEARCH_FACTOR
