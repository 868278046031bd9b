/** New payments: preflight, write ahead, and only then send. */
import type { Preflight } from '#ports/payment-node.ts'
import type { Attempt, LanePayment, LaneView, Pass, Written } from './lane.ts'
import { keepLease } from './lease.ts'
import { type Sending, sendAttempts } from './send-attempts.ts'

type SeenPass = Pass & { view: Extract<LaneView, { outcome: 'seen' }> }

export async function sendQueued(pass: Pass): Promise<Written> {
  const { lane, view } = pass
  if (lane.queued.length === 0 || view.outcome !== 'seen') return 'done'
  return sendNext({ ...pass, view })
}

async function sendNext(pass: SeenPass): Promise<Written> {
  const { world, lease, lane, view } = pass
  const unmined = lane.nextNonce - view.headNonce.common
  const candidates = lane.queued.slice(0, Math.max(0, world.settings.inFlightMax - unmined))
  const preflights = await Promise.all(
    candidates.map(({ call }) => world.chain.preflight({ from: lane.address, call })),
  )
  if (!(await keepLease(world, lease))) return 'stale'
  const sendings: Sending[] = []
  let gasLeft = view.gasBalance - gasPromised(pass)
  for (const [index, payment] of candidates.entries()) {
    const preflight = preflights[index] ?? { outcome: 'unavailable' }
    const admitted = await admit(pass, { payment, preflight, gasLeft })
    if (admitted === 'stale') return 'stale'
    if (admitted === 'done') continue
    gasLeft -= gasOf(payment, admitted)
    sendings.push({ payment: { ...payment, state: 'submitting' }, attempt: admitted })
  }
  return sendAttempts(pass, sendings)
}

type Candidate = {
  payment: LanePayment
  preflight: Preflight | { outcome: 'unavailable' }
  gasLeft: bigint
}

/** An attempt in return is on record: from here on only rule 4 applies to it. */
async function admit(
  { world: { store, sign }, lease: { fence }, view: { fees } }: SeenPass,
  { payment, preflight, gasLeft }: Candidate,
): Promise<Written | Attempt> {
  if (preflight.outcome === 'reverts') {
    return store.block({ fence, payment, code: preflight.code })
  }
  if (preflight.outcome === 'unavailable' || fees === null) {
    return store.postpone({ fence, payment, reason: 'chain_unavailable' })
  }
  if (gasOf(payment, { fees }) > gasLeft) {
    return store.postpone({ fence, payment, reason: 'gas_missing' })
  }
  const written = await store.writeAhead({ fence, payment, fees, sign })
  if (written.outcome === 'written') return written.attempt
  return written.outcome === 'blocked' ? 'done' : 'stale'
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
