/**
 * One pass over a lane: claim it, load it, look at the chain, settle what is in flight, send what
 * is queued. A pass is short and may die at any `await`: whatever it had not written, the next one
 * finds out again. It may overlap with itself: of two, the stale one's writes change nothing.
 */
import { compareNonces } from './compare-nonces.ts'
import { isFinal, judgePayment, type Verdict } from './judge-payment.ts'
import type { Attempt, Lane, LanePayment, LaneWorld, Pass, Written } from './lane.ts'
import { keepLease, takeLease } from './lease.ts'
import { isInFlight } from './payment.machine.ts'
import { type Sending, sendAttempts } from './send-attempts.ts'
import { sendQueued } from './send-queued.ts'

/** When the next pass should come; null when nothing is left to do. */
export type PassResult = { againInMs: number | null }

export async function runLanePass(
  world: LaneWorld,
  { laneId }: { laneId: string },
): Promise<PassResult> {
  const { store, chain, settings } = world
  const taken = await takeLease(world, laneId)
  if (!('lease' in taken)) return { againInMs: taken.freeInMs }
  const { lease } = taken
  const { fence } = lease

  const lane = await store.loadLane({ fence, queuedMax: settings.inFlightMax })
  if (lane === 'stale') return { againInMs: 0 }
  let worked: Written = 'done'
  if (lane.unsettled.length > 0 || lane.queued.length > 0) {
    const view = await chain.lookAtLane({ address: lane.address })
    worked = await work({ world, lease, lane, view })
  }
  await store.releaseLane({ fence })
  return { againInMs: worked === 'stale' ? 0 : nextPassIn(lane, settings) }
}

async function work(pass: Pass): Promise<Written> {
  const compared = await compareNonces(pass)
  if (compared === 'stale') return 'stale'
  const isChainAhead = compared === 'ahead'
  // What is new goes out first: it is mined while the rest is settled.
  if (!isChainAhead && (await sendQueued(pass)) === 'stale') return 'stale'
  return settle(pass, isChainAhead)
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
  for (const [index, payment] of lane.unsettled.entries()) {
    const verdict = judgePayment({ ...known, payment, evidence: evidence[index] })
    const applied = await apply(pass, payment, verdict)
    if (applied === 'stale') return 'stale'
    if (applied !== 'done') sendings.push({ payment, attempt: applied })
  }
  return sendAttempts(pass, sendings)
}

/** Writes the verdict down. An attempt in return is on record and is to be sent. */
async function apply(
  { world: { store, sign }, lease: { fence }, lane, view }: Pass,
  payment: LanePayment,
  verdict: Verdict,
): Promise<Written | Attempt> {
  const finalizedNumber = view.outcome === 'seen' ? view.finalizedNumber : lane.finalizedFloor
  switch (verdict.do) {
    case 'wait':
      return 'done'
    case 'lose':
      return store.lose({ fence, payment })
    case 'block':
      return store.block({ fence, payment, code: verdict.code })
    case 'reconcile':
      return store.reconcile({ fence, payment })
    case 'fail':
      return store.fail({ fence, payment, code: verdict.code, finalizedNumber })
    case 'confirm': {
      const written = await store.confirm({ fence, payment, log: verdict.log, finalizedNumber })
      return written === 'later' ? 'done' : written
    }
    case 'resend':
      return verdict.attempt
    case 'replace': {
      const { replaced, fees } = verdict
      const written = await store.writeReplacement({ fence, payment, replaced, fees, sign })
      return written.outcome === 'written' ? written.attempt : 'stale'
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
