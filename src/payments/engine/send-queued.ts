/** New payments: preflight, write ahead, and only then send. */
import type { Fees, Preflight } from '#ports/payment-node.ts'
import { entrustFirst } from './delegate-attempts.ts'
import { isDone } from './judge-delegated.ts'
import type { LanePayment, LaneView, Pass, PostponeReason, Sending, Written } from './lane.ts'
import { keepLease } from './lease.ts'
import { entrustedOf } from './poll-provider.ts'
import { sendAttempts } from './send-attempts.ts'

type SeenPass = Pass & { view: Extract<LaneView, { outcome: 'seen' }> }

export async function sendQueued(pass: Pass): Promise<Written> {
  const { world, lane, view } = pass
  if (lane.queued.length === 0 || view.outcome !== 'seen') return 'done'
  return world.executor.kind === 'away' ? 'done' : sendNext({ ...pass, view })
}

async function sendNext(pass: SeenPass): Promise<Written> {
  const { world, lease, lane, view } = pass
  const candidates = lane.queued.slice(0, Math.max(0, world.settings.inFlightMax - unmined(pass)))
  if (candidates.length === 0) return 'done'
  const preflights = await Promise.all(
    candidates.map(({ call }) => world.chain.preflight({ from: lane.address, call })),
  )
  if (!(await keepLease(world, lease))) return 'stale'
  const payments: LanePayment[] = []
  let gasLeft = view.gasBalance - gasPromised(pass)
  for (const [index, payment] of candidates.entries()) {
    const preflight = preflights[index] ?? { outcome: 'unavailable' }
    const kept = await keepBack(pass, { payment, preflight, gasLeft })
    if (kept === 'stale') return 'stale'
    if (kept === 'done') continue
    gasLeft -= kept
    payments.push(payment)
  }
  return payments.length === 0 ? 'done' : writeAndSend(pass, payments)
}

/** What comes back from the store is on record: from here on only rule 4 applies to it. */
async function writeAndSend(pass: SeenPass, payments: readonly LanePayment[]): Promise<Written> {
  const { store, executor } = pass.world
  const { fence } = pass.lease
  const { market, headNonce } = pass.view
  if (executor.kind === 'sends') {
    const written = await executor.delegations.writeEntrusted({ fence, payments })
    if (written === 'stale') return 'stale'
    return entrustFirst({ ...pass, ...executor }, written.map(asSubmitting))
  }
  if (executor.kind === 'away' || market.outcome !== 'known') return 'done'
  const { fees } = market
  const chainNonce = headNonce.highest
  const written = await store.writeAhead({ fence, payments, fees, chainNonce })
  return written === 'stale' ? 'stale' : sendAttempts(pass, written.map(asSubmitting))
}

const asSubmitting = <A>({ payment, attempt }: Sending<A>): Sending<A> => ({
  payment: { ...payment, state: 'submitting' },
  attempt,
})

/** What the provider may still send, or what was signed for a nonce that is not used yet. */
function unmined({ world, lane, view }: SeenPass): number {
  if (world.executor.kind !== 'sends') return lane.nextNonce - view.headNonce.common
  return lane.unsettled.filter(isWithProvider).length
}

const isWithProvider = (payment: LanePayment): boolean => {
  const attempt = entrustedOf(payment)
  return attempt !== undefined && !isDone(attempt.word)
}

type Candidate = {
  payment: LanePayment
  preflight: Preflight | { outcome: 'unavailable' }
  gasLeft: bigint
}

/** Writes down why it cannot go out now; in return what it may cost when it can. */
async function keepBack(
  { world: { store, executor }, lease: { fence }, view: { market } }: SeenPass,
  { payment, preflight, gasLeft }: Candidate,
): Promise<Written | bigint> {
  if (preflight.outcome === 'reverts') {
    return store.block({ fence, payment, code: preflight.code })
  }
  const isFree = executor.kind === 'sends' && !executor.provider.paysOwnGas
  const postpone = (reason: PostponeReason) => store.postpone({ fence, payment, reason })
  if (preflight.outcome === 'unavailable') return postpone('chain_unavailable')
  if (isFree) return 0n
  if (market.outcome === 'above_ceiling') return postpone('fees_above_ceiling')
  if (market.outcome === 'disagree') return postpone('chain_unavailable')
  const cost = gasOf(payment, market.fees)
  return cost > gasLeft ? postpone('gas_missing') : cost
}

const gasOf = ({ call }: LanePayment, { maxFeePerGas }: Pick<Fees, 'maxFeePerGas'>): bigint =>
  call.gasLimit * maxFeePerGas

/** What those that wait to be mined may still cost; a provider pays what the market asks. */
function gasPromised({ lane, view }: SeenPass): bigint {
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
