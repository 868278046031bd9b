/** What every judgement of a payment is made of, however it was sent. Pure. */
import type { Execution } from '@countersign/proof/execution.ts'
import type { BlockCode } from '#platform/block-codes.ts'
import type { AttemptReceipt, ExecutionLog, Fees } from '#ports/payment-node.ts'
import type { EntrustedAttempt, SignedAttempt } from './attempt.ts'
import type { LanePayment, LaneSettings, LaneView, PaymentView, Provider } from './lane.ts'

export type Verdict =
  | { do: 'wait' }
  | { do: 'lose' }
  /** Signed here: the same bytes again, or the same nonce and call with a higher fee. */
  | { do: 'resend'; attempt: SignedAttempt }
  | { do: 'replace'; replaced: SignedAttempt; fees: Fees }
  /** Entrusted: the provider is asked again, with the same key. */
  | { do: 'repeat'; attempt: EntrustedAttempt }
  | { do: 'confirm'; log: ExecutionLog }
  | { do: 'confirm'; receipt: AttemptReceipt }
  | { do: 'fail'; code: BlockCode }
  /** Proven unpaid like `fail`, but whether it is tried again is for a person. */
  | { do: 'deny'; code: BlockCode }
  | { do: 'block'; code: BlockCode }
  | { do: 'reconcile' }

export type Situation = {
  payment: LanePayment
  view: LaneView
  /** Undefined where it was not asked for: see `isEvidenceDue`. */
  evidence: PaymentView | undefined
  nowMs: number
  finalizedFloor: number
  /** The chain knows of more attempts than we do: see `compare-nonces.ts`. */
  isChainAhead: boolean
  settings: LaneSettings
  /** Undefined where payments are signed here. */
  provider?: Pick<Provider, 'poll' | 'repeatAfterMs'> | undefined
}

export type SeenLane = Extract<LaneView, { outcome: 'seen' }>
export type SeenPayment = Extract<PaymentView, { outcome: 'seen' }>

export const WAIT: Verdict = { do: 'wait' }

/**
 * What proves success at a final block. Undefined: it has not succeeded.
 *
 * A payment needs the vault's log (rule 9). A deposit has no id in the vault: only bytes that were
 * signed here can be it, and the vault takes the tokens or reverts, so that its receipt is enough.
 */
export function judgeSuccess(
  { expected }: Pick<LanePayment, 'expected'>,
  evidence: SeenPayment,
): Verdict | undefined {
  if (expected) return judgeLogs(expected, evidence)
  const receipt = evidence.receipts.find(({ status }) => status === 'success')
  return receipt && { do: 'confirm', receipt }
}

/** Every field equal, not merely a successful receipt, and whoever sent the transaction. */
function judgeLogs(expected: Execution, { isExecuted, logs }: SeenPayment): Verdict | undefined {
  if (logs.some((log) => !isEqualTo(expected, log))) {
    return { do: 'block', code: 'execution_mismatch' }
  }
  const [log] = logs
  if (log && isExecuted) return { do: 'confirm', log }
  return log || isExecuted ? { do: 'block', code: 'execution_unexplained' } : undefined
}

const isEqualTo = (expected: Execution, log: ExecutionLog): boolean =>
  Object.entries(expected).every(([field, value]) => log[field as keyof Execution] === value)

/** The finalised height never goes back: nodes below one that we decided at decide nothing. */
export const isHighEnough = ({
  view,
  finalizedFloor,
}: Pick<Situation, 'view' | 'finalizedFloor'>): boolean =>
  view.outcome === 'seen' && view.finalizedNumber >= finalizedFloor

/** Long enough for any chain to have made it final. */
const SEARCH_TIMES = 60

export const isLongAgo = ({ payment, nowMs, settings }: Situation): boolean =>
  nowMs - payment.stateSinceMs >= settings.loseAfterMs * SEARCH_TIMES
