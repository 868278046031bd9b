/** Sends queued payments in groups: preflight, persist the attempts (write-ahead), send. */
import type { BlockCode } from '#platform/block-codes.ts'
import type { Fees, Preflight } from '#ports/payment-node.ts'
import { delegateFirst } from './delegate-attempts.ts'
import { isDone } from './judge-delegated.ts'
import type {
  LanePayment,
  LaneView,
  Pass,
  PostponeReason,
  SendAnswer,
  Sending,
  WriteOutcome,
} from './lane.ts'
import { keepLease } from './lease.ts'
import { delegatedOf } from './poll-provider.ts'
import { sideBySide } from './side-by-side.ts'

/** Large enough that a transaction for each costs little, small enough that the first go soon. */
const GROUP_SIZE = 8

type SeenPass = Pass & { view: Extract<LaneView, { outcome: 'seen' }> }

export async function sendQueued(pass: Pass): Promise<WriteOutcome> {
  const { deps, lane, view } = pass
  if (lane.queued.length === 0 || view.outcome !== 'seen') return 'done'
  return deps.executor.kind === 'unavailable' ? 'done' : sendNext({ ...pass, view })
}

async function sendNext(pass: SeenPass): Promise<WriteOutcome> {
  const { deps, lane, view } = pass
  const candidates = lane.queued.slice(0, Math.max(0, deps.settings.inFlightMax - unmined(pass)))
  return sendGroups(pass, { candidates, gasLeft: view.gasBalance - gasReserved(pass) })
}

/** The first group is on its way while the next is checked and signed. */
async function sendGroups(
  pass: SeenPass,
  { candidates, ...gas }: { candidates: readonly LanePayment[]; gasLeft: bigint },
): Promise<WriteOutcome> {
  const { deps, lease, lane } = pass
  if (candidates.length === 0) return 'done'
  // A provider signs by itself, so its requests go out together.
  const size = deps.executor.kind === 'sends' ? candidates.length : GROUP_SIZE
  const [group, others] = [candidates.slice(0, size), candidates.slice(size)]
  const preflights = await Promise.all(
    group.map(({ call }) => deps.chain.preflight({ from: lane.address, call })),
  )
  if (!(await keepLease(deps, lease))) return 'stale'
  const payments: LanePayment[] = []
  let { gasLeft } = gas
  for (const [index, payment] of group.entries()) {
    const preflight = preflights[index] ?? { outcome: 'unavailable' }
    const kept = await keepBack(pass, { payment, preflight, gasLeft })
    if (kept === 'stale') return 'stale'
    if (kept === 'done') continue
    gasLeft -= kept
    payments.push(payment)
  }
  const sendOthers = () => sendGroups(pass, { candidates: others, gasLeft })
  return payments.length === 0 ? sendOthers() : writeAndSend(pass, payments, sendOthers)
}

/** The store returns persisted attempts: from here on only rule 4 can change them. */
async function writeAndSend(
  pass: SeenPass,
  payments: readonly LanePayment[],
  sendOthers: () => Promise<WriteOutcome>,
): Promise<WriteOutcome> {
  const { store, executor } = pass.deps
  const { token } = pass.lease
  const { market, headNonce } = pass.view
  if (executor.kind === 'sends') {
    const written = await executor.delegations.writeDelegated({ token, payments })
    if (written === 'stale') return 'stale'
    return delegateFirst({ ...pass, ...executor }, written.map(asSubmitting))
  }
  if (executor.kind === 'unavailable' || market.outcome !== 'known') return 'done'
  const { fees } = market
  const chainNonce = headNonce.highest
  const written = await store.writeAhead({ token, payments, fees, chainNonce })
  if (written === 'stale') return 'stale'
  return sideBySide(sendAttempts(pass, written.map(asSubmitting)), sendOthers())
}

const asSubmitting = <A>({ payment, attempt }: Sending<A>): Sending<A> => ({
  payment: { ...payment, state: 'submitting' },
  attempt,
})

/** Counts what the provider may still send, or the signed attempts with an unused nonce. */
function unmined({ deps, lane, view }: SeenPass): number {
  if (deps.executor.kind !== 'sends') return lane.nextNonce - view.headNonce.common
  return lane.unsettled.filter(isWithProvider).length
}

const isWithProvider = (payment: LanePayment): boolean => {
  const attempt = delegatedOf(payment)
  return attempt !== undefined && !isDone(attempt.status)
}

type Candidate = {
  payment: LanePayment
  preflight: Preflight | { outcome: 'unavailable' }
  gasLeft: bigint
}

/**
 * The vault has a policy that the follower has not read. When it does, the payment is moved to the
 * executor that the policy names, or blocked for what it breaks.
 */
const UNREAD_POLICY: readonly BlockCode[] = ['not_executor', 'version_mismatch']

/** Records why the payment cannot be sent now, or returns its maximal gas cost. */
async function keepBack(
  { deps: { store, executor }, lease: { token }, view: { market } }: SeenPass,
  { payment, preflight, gasLeft }: Candidate,
): Promise<WriteOutcome | bigint> {
  const isFree = executor.kind === 'sends' && !executor.provider.paysOwnGas
  const postpone = (reason: PostponeReason) => store.postpone({ token, payment, reason })
  if (preflight.outcome === 'reverts') {
    const { code, exhausted } = preflight
    if (payment.expected && UNREAD_POLICY.includes(code)) return postpone('behind')
    const mayFitLater = exhausted && payment.expected && payment.expected.amount <= exhausted.cap
    if (!mayFitLater) return store.block({ token, payment, code })
    return store.awaitPeriod({ token, payment, endsAtSeconds: exhausted.endsAtSeconds })
  }
  if (preflight.outcome === 'unavailable') return postpone('chain_unavailable')
  if (isFree) return 0n
  if (market.outcome === 'above_ceiling') return postpone('fees_above_ceiling')
  if (market.outcome === 'disagree') return postpone('chain_unavailable')
  const cost = gasOf(payment, market.fees)
  return cost > gasLeft ? postpone('gas_missing') : cost
}

const gasOf = ({ call }: LanePayment, { maxFeePerGas }: Pick<Fees, 'maxFeePerGas'>): bigint =>
  call.gasLimit * maxFeePerGas

/** The maximal gas cost of unmined transactions; for a provider, at the market fee. */
function gasReserved({ lane, view }: SeenPass): bigint {
  return lane.unsettled.reduce((sum, payment) => {
    const last = payment.attempts.at(-1)
    if (last?.kind === 'signed') {
      return last.nonce >= view.headNonce.common ? sum + gasOf(payment, last.fees) : sum
    }
    const { market } = view
    const isCounted = isWithProvider(payment) && market.outcome === 'known'
    return isCounted ? sum + gasOf(payment, market.fees) : sum
  }, 0n)
}

/** Sends the persisted bytes, and records the answers of the nodes. */
export async function sendAttempts(
  { deps, lease }: Pick<Pass, 'deps' | 'lease'>,
  sendings: readonly Sending[],
): Promise<WriteOutcome> {
  if (sendings.length === 0) return 'done'
  if (!(await keepLease(deps, lease))) return 'stale'
  // Started in nonce order; none waits for the answer to another.
  const answers = await Promise.all(
    sendings.map(({ attempt }) => deps.chain.send({ raw: attempt.raw })),
  )
  const sends = sendings.map((sending, index) => {
    return { ...sending, event: eventOf(sending.payment, answers[index] ?? 'lost') }
  })
  return deps.store.recordSends({ token: lease.token, sends })
}

/** Rule 8: no answer to a send proves a failure. An ambiguous answer changes nothing. */
function eventOf({ state }: LanePayment, answer: SendAnswer): 'accept' | 'lose' | null {
  if (answer === 'accepted' && state !== 'broadcast') return 'accept'
  if (answer === 'nonce_too_low' && state === 'submitting') return 'lose'
  return null
}
