/**
 * One pass over a lane: claim it, load it, look at the chain, settle what is in flight, send what
 * is queued. A pass is short and may die at any `await`: whatever it had not written, the next one
 * finds out again. It may overlap with itself: of two, the stale one's writes change nothing.
 */
import { isInFlight } from '#payments/payment.machine.ts'
import type { EntrustedAttempt, SignedAttempt } from './attempt.ts'
import { compareNonces } from './compare-nonces.ts'
import { type DelegatingPass, entrustAgain } from './delegate-attempts.ts'
import { isEvidenceDue, judgePayment } from './judge-payment.ts'
import type { Verdict } from './judgement.ts'
import type {
  Confirmation,
  HoldStore,
  Lane,
  LanePayment,
  LaneWorld,
  Pass,
  Sending,
  Written,
} from './lane.ts'
import { keepLease, takeLease } from './lease.ts'
import { askProvider, hearProvider, type Reports } from './poll-provider.ts'
import { sendAttempts } from './send-attempts.ts'
import { sendQueued } from './send-queued.ts'

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
  const { store, settings } = world
  const taken = await takeLease(world, laneId)
  if (!('lease' in taken)) return { againInMs: taken.freeInMs, isCrowded: false }
  const { lease } = taken
  const { fence } = lease

  // Rule 11 where there are no nonces to compare: what a vault has paid is found by its log.
  const { executor } = world
  const adopted =
    executor.kind === 'sends' ? await executor.delegations.adoptExecuted({ fence }) : 'done'
  const lane = await store.loadLane({ fence, queuedMax: settings.inFlightMax })
  if (lane === 'stale' || adopted === 'stale') return { againInMs: 0, isCrowded: false }
  const hasWork = lane.unsettled.length > 0 || lane.queued.length > 0
  const worked = hasWork ? await look({ world, lease, lane }) : 'done'
  await store.releaseLane({ fence })
  const isCrowded = lane.queued.length > 0 && !lane.isHeld
  return { againInMs: worked === 'stale' ? 0 : nextPassIn(lane, settings), isCrowded }
}

/** The provider first: what it has done before it speaks can be seen on the chain afterwards. */
async function look({ world, lease, lane }: Omit<Pass, 'view'>): Promise<Written> {
  const { executor, chain } = world
  const reports = executor.kind === 'sends' ? await askProvider(executor.provider, lane) : undefined
  const view = await chain.lookAtLane({ address: lane.address, upTo: lane.followedTo })
  const pass = { world, lease, lane, view }
  if (executor.kind === 'sends')
    return workEntrusted({ ...pass, ...executor }, reports ?? new Map())
  // Without its key nothing can be sent, and what else that key was used for nobody here can tell.
  return executor.kind === 'away' ? settle(pass, true) : work(pass, executor.holds)
}

async function work(pass: Pass, holds: HoldStore | null): Promise<Written> {
  const compared = await compareNonces(pass, holds)
  if (compared === 'stale') return 'stale'
  const isChainAhead = compared === 'ahead'
  return sideBySide(isChainAhead ? 'done' : sendQueued(pass), settle(pass, isChainAhead))
}

async function workEntrusted(pass: DelegatingPass, reports: Reports): Promise<Written> {
  const unsettled = await hearProvider(pass, reports)
  if (unsettled === 'stale') return 'stale'
  const judged = { ...pass, lane: { ...pass.lane, unsettled } }
  return sideBySide(sendQueued(pass), settle(judged, false))
}

/** They are not the same payments, and one that fails must not keep the other. */
async function sideBySide(...works: (Written | Promise<Written>)[]): Promise<Written> {
  const done = await Promise.allSettled(works)
  for (const one of done) if (one.status === 'rejected') throw one.reason
  return done.some((one) => one.status === 'fulfilled' && one.value === 'stale') ? 'stale' : 'done'
}

/** Judges everything unsettled on one look at the chain, and does what the verdicts say. */
async function settle(pass: Pass, isChainAhead: boolean): Promise<Written> {
  const { world, lease, lane, view } = pass
  const { settings, executor } = world
  const { nowMs, finalizedFloor } = lane
  const provider = executor.kind === 'sends' ? executor.provider : undefined
  const known = { view, nowMs, finalizedFloor, isChainAhead, settings, provider }
  const evidence = await Promise.all(
    lane.unsettled.map((payment) =>
      view.outcome === 'seen' && isEvidenceDue({ payment, view, finalizedFloor })
        ? world.chain.lookAtPayment({ payment, blockNumber: view.finalizedNumber })
        : undefined,
    ),
  )
  if (!(await keepLease(world, lease))) return 'stale'
  const due: Due = { resends: [], repeats: [], confirmations: [] }
  for (const [index, payment] of lane.unsettled.entries()) {
    const verdict = judgePayment({ ...known, payment, evidence: evidence[index] })
    if ((await apply(pass, { payment, verdict, due })) === 'stale') return 'stale'
  }
  if ((await confirmAll(pass, due.confirmations)) === 'stale') return 'stale'
  if (executor.kind === 'sends') return entrustAgain({ ...pass, ...executor }, due.repeats)
  return sendAttempts(pass, due.resends)
}

/** What is done together once all are judged. What is sent is on record by then. */
type Due = {
  resends: Sending<SignedAttempt>[]
  repeats: Sending<EntrustedAttempt>[]
  confirmations: Confirmation[]
}

/** The block that decisions stand on, which the lane never goes back behind. */
const finalizedNumberOf = ({ lane, view }: Pass): number =>
  view.outcome === 'seen' ? view.finalizedNumber : lane.finalizedFloor

async function confirmAll(pass: Pass, confirmations: Due['confirmations']): Promise<Written> {
  if (confirmations.length === 0) return 'done'
  const { world, lease } = pass
  const finalizedNumber = finalizedNumberOf(pass)
  return world.store.confirm({ fence: lease.fence, confirmations, finalizedNumber })
}

/** Writes the verdict down, or puts it among what is due. */
async function apply(
  pass: Pass,
  { payment, verdict, due }: { payment: LanePayment; verdict: Verdict; due: Due },
): Promise<Written> {
  const { store, executor } = pass.world
  const { fence } = pass.lease
  const finalizedNumber = finalizedNumberOf(pass)
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
    case 'deny':
      if (executor.kind !== 'sends') return 'done'
      return executor.delegations.deny({ fence, payment, code: verdict.code, finalizedNumber })
    case 'confirm': {
      const { do: _, ...proof } = verdict
      due.confirmations.push({ payment, ...proof })
      return 'done'
    }
    case 'resend':
      due.resends.push({ payment, attempt: verdict.attempt })
      return 'done'
    case 'repeat':
      due.repeats.push({ payment, attempt: verdict.attempt })
      return 'done'
    case 'replace':
      return replace(pass, { payment, verdict, due })
  }
}

async function replace(
  { world: { store, executor }, lease: { fence } }: Pass,
  {
    payment,
    verdict: { replaced, fees },
    due,
  }: { payment: LanePayment; verdict: Extract<Verdict, { do: 'replace' }>; due: Due },
): Promise<Written> {
  if (executor.kind !== 'signs') return 'done'
  const attempt = await store.writeReplacement({ fence, payment, replaced, fees })
  if (attempt === 'stale') return 'stale'
  due.resends.push({ payment, attempt: attempt === 'refused' ? replaced : attempt })
  return 'done'
}

/** When the lane needs its next pass; null when nothing is left to do. */
export function nextPassIn(
  { unsettled, queued, queuedDueInMs, isHeld, nowMs }: Lane,
  { lookEveryMs, lookAtBlockedEveryMs, loseAfterMs }: LaneWorld['settings'],
): number | null {
  // A payment found executed is confirmed as soon as its block is final, usually within seconds.
  const isJustFound = ({ blockCode, stateSinceMs }: LanePayment): boolean =>
    blockCode === 'payment_already_executed' && nowMs - stateSinceMs < loseAfterMs
  const isMoving = unsettled.some(
    (payment) => isHeld || isInFlight(payment.state) || isJustFound(payment),
  )
  if (queued.length > 0 || isMoving) return lookEveryMs
  const waits = [queuedDueInMs, unsettled.length > 0 ? lookAtBlockedEveryMs : null]
  const known = waits.filter((ms) => ms !== null)
  return known.length > 0 ? Math.min(...known) : null
}
