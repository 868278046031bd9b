/** New payments: preflight, write ahead, and only then send. */
import type { Preflight } from '#ports/payment-node.ts'
import type { Attempt, LanePayment, LaneView, Pass, Written } from './lane.ts'
import { keepLease } from './lease.ts'
import { sendAttempts } from './send-attempts.ts'

type SeenPass = Pass & { view: Extract<LaneView, { outcome: 'seen' }> }

export async function sendQueued(pass: Pass): Promise<Written> {
  const { lane, view } = pass
  if (lane.queued.length === 0 || view.outcome !== 'seen') return 'done'
  return sendNext({ ...pass, view })
}

async function sendNext(pass: SeenPass): Promise<Written> {
  const { world, lease, lane, view } = pass
  const { fence } = lease
  const unmined = lane.nextNonce - view.headNonce.common
  const candidates = lane.queued.slice(0, Math.max(0, world.settings.inFlightMax - unmined))
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
  if (payments.length === 0 || view.fees === null) return 'done'
  // What comes back is on record: from here on only rule 4 applies to it.
  const { fees } = view
  const written = await world.store.writeAhead({ fence, payments, fees, sign: world.sign })
  if (written === 'stale') return 'stale'
  const sendings = written.map(({ payment, attempt }) => {
    return { payment: { ...payment, state: 'submitting' as const }, attempt }
  })
  return sendAttempts(pass, sendings)
}

type Candidate = {
  payment: LanePayment
  preflight: Preflight | { outcome: 'unavailable' }
  gasLeft: bigint
}

/** Writes down why it cannot go out now; in return what it may cost when it can. */
async function keepBack(
  { world: { store }, lease: { fence }, view: { fees } }: SeenPass,
  { payment, preflight, gasLeft }: Candidate,
): Promise<Written | bigint> {
  if (preflight.outcome === 'reverts') {
    return store.block({ fence, payment, code: preflight.code })
  }
  if (preflight.outcome === 'unavailable' || fees === null) {
    return store.postpone({ fence, payment, reason: 'chain_unavailable' })
  }
  const cost = gasOf(payment, { fees })
  return cost > gasLeft ? store.postpone({ fence, payment, reason: 'gas_missing' }) : cost
}

const gasOf = ({ call }: LanePayment, { fees }: Pick<Attempt, 'fees'>): bigint =>
  call.gasLimit * fees.maxFeePerGas

/** What the transactions that wait to be mined may still cost. */
function gasPromised({ lane, view }: SeenPass): bigint {
  return lane.unsettled.reduce((sum, payment) => {
    const last = payment.attempts.at(-1)
    const isWaiting = last !== undefined && last.nonce >= view.headNonce.common
    return isWaiting ? sum + gasOf(payment, last) : sum
  }, 0n)
}
