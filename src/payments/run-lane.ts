/**
 * One pass over a lane: claim it, load it, look at the chain, settle what is in flight, send what
 * is queued. A pass is short and may die at any `await`: whatever it had not written, the next one
 * finds out again. It may overlap with itself: of two, the stale one's writes change nothing.
 */
import type { ExecutionLog } from '#ports/payment-node.ts'
import { compareNonces } from './compare-nonces.ts'
import { isFinal, judgePayment, type Verdict } from './judge-payment.ts'
import type { Attempt, Lane, LanePayment, LaneWorld, Pass, Sending, Written } from './lane.ts'
import { keepLease, takeLease } from './lease.ts'
import { isInFlight } from './payment.machine.ts'
import { sendAttempts } from './send-attempts.ts'
import { sendQueued } from './send-queued.ts'

type Confirmation = { payment: LanePayment; log: ExecutionLog }

export type PassResult = {
  /** When the next pass should come; null when nothing is left to do. */
  againInMs: number | null
  /** Something was queued: more may be, and goes out as soon as others are mined. */
  isCrowded: boolean
}

export async function runLanePass(
  world: LaneWorld,
  { laneId }: { laneId: string },
): Promise<PassResult> {
  const { store, chain, settings } = world
  const taken = await takeLease(world, laneId)
  if (!('lease' in taken)) return { againInMs: taken.freeInMs, isCrowded: false }
  const { lease } = taken
  const { fence } = lease

  const lane = await store.loadLane({ fence, queuedMax: settings.inFlightMax })
  if (lane === 'stale') return { againInMs: 0, isCrowded: false }
  let worked: Written = 'done'
  if (lane.unsettled.length > 0 || lane.queued.length > 0) {
    const view = await chain.lookAtLane({ address: lane.address, upTo: lane.followedTo })
    worked = await work({ world, lease, lane, view })
  }
  await store.releaseLane({ fence })
  const isCrowded = lane.queued.length > 0 && !lane.isHeld
  return { againInMs: worked === 'stale' ? 0 : nextPassIn(lane, settings), isCrowded }
}

async function work(pass: Pass): Promise<Written> {
  const compared = await compareNonces(pass)
  if (compared === 'stale') return 'stale'
  const isChainAhead = compared === 'ahead'
  // Side by side: they are not the same payments, and one that fails must not keep the other.
  const done = await Promise.allSettled([
    isChainAhead ? 'done' : sendQueued(pass),
    settle(pass, isChainAhead),
  ])
  for (const one of done) if (one.status === 'rejected') throw one.reason
  return done.some((one) => one.status === 'fulfilled' && one.value === 'stale') ? 'stale' : 'done'
}

/** Judges everything unsettled on one look at the chain, and does what the verdicts say. */
async function settle(pass: Pass, isChainAhead: boolean): Promise<Written> {
  const { world, lease, lane, view } = pass
  const { nowMs, finalizedFloor } = lane
  const known = { view, nowMs, finalizedFloor, isChainAhead, settings: world.settings }
  const evidence = await Promise.all(
    lane.unsettled.map((payment) =>
      view.outcome === 'seen' && isFinal(payment, { view, finalizedFloor })
        ? world.chain.lookAtPayment({ payment, blockNumber: view.finalizedNumber })
        : undefined,
    ),
  )
  if (!(await keepLease(world, lease))) return 'stale'
  const sendings: Sending[] = []
  const confirmations: Confirmation[] = []
  for (const [index, payment] of lane.unsettled.entries()) {
    const verdict = judgePayment({ ...known, payment, evidence: evidence[index] })
    if (verdict.do === 'confirm') confirmations.push({ payment, log: verdict.log })
    else {
      const applied = await apply(pass, payment, verdict)
      if (applied === 'stale') return 'stale'
      if (applied !== 'done') sendings.push({ payment, attempt: applied })
    }
  }
  if ((await confirmAll(pass, confirmations)) === 'stale') return 'stale'
  return sendAttempts(pass, sendings)
}

/** The block that decisions stand on, which the lane never goes back behind. */
const finalizedNumberOf = ({ lane, view }: Pass): number =>
  view.outcome === 'seen' ? view.finalizedNumber : lane.finalizedFloor

async function confirmAll(pass: Pass, confirmations: readonly Confirmation[]): Promise<Written> {
  if (confirmations.length === 0) return 'done'
  const { world, lease } = pass
  const finalizedNumber = finalizedNumberOf(pass)
  return world.store.confirm({ fence: lease.fence, confirmations, finalizedNumber })
}

/** Writes the verdict down. An attempt in return is on record and is to be sent. */
async function apply(
  pass: Pass,
  payment: LanePayment,
  verdict: Exclude<Verdict, { do: 'confirm' }>,
): Promise<Written | Attempt> {
  const { store, sign } = pass.world
  const { fence } = pass.lease
  switch (verdict.do) {
    case 'wait':
      return 'done'
    case 'lose':
      return store.lose({ fence, payment })
    case 'block':
      return store.block({ fence, payment, code: verdict.code })
    case 'reconcile':
      return store.reconcile({ fence, payment })
    case 'fail': {
      const finalizedNumber = finalizedNumberOf(pass)
      return store.fail({ fence, payment, code: verdict.code, finalizedNumber })
    }
    case 'resend':
      return verdict.attempt
    case 'replace': {
      const { replaced, fees } = verdict
      return store.writeReplacement({ fence, payment, replaced, fees, sign })
    }
  }
}

function nextPassIn(
  { unsettled, queued, queuedDueInMs, isHeld }: Lane,
  { lookEveryMs, lookAtBlockedEveryMs }: LaneWorld['settings'],
): number | null {
  // What a held lane finds paid on the chain is blocked for a look or two, and then confirmed.
  const isMoving = unsettled.some(({ state }) => isHeld || isInFlight(state))
  if (queued.length > 0 || isMoving) return lookEveryMs
  const waits = [queuedDueInMs, unsettled.length > 0 ? lookAtBlockedEveryMs : null]
  const known = waits.filter((ms) => ms !== null)
  return known.length > 0 ? Math.min(...known) : null
}
