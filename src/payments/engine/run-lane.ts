/**
 * One pass over a lane: claim it, load it, observe the chain, settle payments in flight, send the
 * queued ones. A pass is short and may die at any `await`: the next pass redoes what was not
 * written. Two passes may overlap: the writes of the stale one change no row.
 */
import { isInFlight } from '#payments/payment.machine.ts'
import type { DelegatedAttempt, SignedAttempt } from './attempt.ts'
import { type DelegatingPass, delegateAgain } from './delegate-attempts.ts'
import { explainRevert } from './explain-revert.ts'
import { isEvidenceDue, judgePayment } from './judge-payment.ts'
import type { Verdict } from './judgement.ts'
import type {
  Confirmation,
  HoldStore,
  Lane,
  LaneDeps,
  LanePayment,
  Pass,
  Sending,
  WriteOutcome,
} from './lane.ts'
import { keepLease, takeLease } from './lease.ts'
import { type ProviderReports, pollProvider, recordProviderReports } from './poll-provider.ts'
import { sendAttempts, sendQueued } from './send-queued.ts'
import { sideBySide } from './side-by-side.ts'

export type PassResult = {
  /** Delay until the next pass; null when nothing is left to do. */
  againInMs: number | null
  /** Payments were queued: more may follow, to be sent as soon as others are mined. */
  isCrowded: boolean
}

export async function runLanePass(
  deps: LaneDeps,
  { laneId }: { laneId: string },
): Promise<PassResult> {
  const { store, settings } = deps
  const taken = await takeLease(deps, laneId)
  if (!('lease' in taken)) return { againInMs: taken.freeInMs, isCrowded: false }
  const { lease } = taken
  const { token } = lease

  // Rule 11 without nonces to compare: the vaults' logs show which payments were made.
  const { executor } = deps
  const adopted =
    executor.kind === 'sends' ? await executor.delegations.adoptExecuted({ token }) : 'done'
  const lane = await store.loadLane({ token, queuedMax: settings.inFlightMax })
  if (lane === 'stale' || adopted === 'stale') return { againInMs: 0, isCrowded: false }
  const hasWork = lane.unsettled.length > 0 || lane.queued.length > 0
  const worked = hasWork ? await observeAndWork({ deps, lease, lane }) : 'done'
  await store.releaseLane({ token })
  const isCrowded = lane.queued.length > 0 && !lane.isHeld
  return { againInMs: worked === 'stale' ? 0 : nextPassIn(lane, settings), isCrowded }
}

/** Polls the provider first: what it did before its report is then visible on the chain. */
async function observeAndWork({ deps, lease, lane }: Omit<Pass, 'view'>): Promise<WriteOutcome> {
  const { executor, chain } = deps
  const reports =
    executor.kind === 'sends' ? await pollProvider(executor.provider, lane) : undefined
  const view = await chain.observeLane({ address: lane.address, upTo: lane.followedTo })
  const pass = { deps, lease, lane, view }
  if (executor.kind === 'sends')
    return workDelegated({ ...pass, ...executor }, reports ?? new Map())
  // Without its provider nothing can be sent, and other uses of the key are unknown.
  return executor.kind === 'unavailable' ? settle(pass, true) : work(pass, executor.holds)
}

async function work(pass: Pass, holds: HoldStore | null): Promise<WriteOutcome> {
  const compared = await compareNonces(pass, holds)
  if (compared === 'stale') return 'stale'
  const isChainAhead = compared === 'ahead'
  return sideBySide(isChainAhead ? 'done' : sendQueued(pass), settle(pass, isChainAhead))
}

/**
 * Rule 11: if the chain has used more nonces than the database knows, a backup was restored or
 * another party uses the key. The lane then only observes: it sends nothing new and fails nothing,
 * because attempts may exist that the database does not have.
 */
async function compareNonces(
  { lease, lane, view }: Pass,
  holds: HoldStore | null,
): Promise<'even' | 'ahead' | 'stale'> {
  // Others may use the account at any time, so its nonce says nothing about this lane.
  if (!holds) return 'even'
  if (view.outcome !== 'seen') return lane.isHeld ? 'ahead' : 'even'
  const input = { token: lease.token, chainNonce: view.finalizedNonce }
  if (lane.isHeld) {
    const { finalizedNumber } = view
    const released = await holds.releaseHold({ ...input, finalizedNumber })
    return released === 'stale' ? 'stale' : 'ahead'
  }
  if (view.finalizedNonce > lane.nextNonce) {
    return (await holds.holdLane(input)) === 'stale' ? 'stale' : 'ahead'
  }
  return view.headNonce.highest > lane.nextNonce ? 'ahead' : 'even'
}

async function workDelegated(
  pass: DelegatingPass,
  reports: ProviderReports,
): Promise<WriteOutcome> {
  const unsettled = await recordProviderReports(pass, reports)
  if (unsettled === 'stale') return 'stale'
  const judged = { ...pass, lane: { ...pass.lane, unsettled } }
  return sideBySide(sendQueued(pass), settle(judged, false))
}

/** Judges every unsettled payment by one view of the chain, and applies the verdicts. */
async function settle(pass: Pass, isChainAhead: boolean): Promise<WriteOutcome> {
  const { deps, lease, lane, view } = pass
  const { settings, executor } = deps
  const { nowMs, finalizedFloor } = lane
  const provider = executor.kind === 'sends' ? executor.provider : undefined
  const known = { view, nowMs, finalizedFloor, isChainAhead, settings, provider }
  const evidence = await Promise.all(
    lane.unsettled.map((payment) =>
      view.outcome === 'seen' && isEvidenceDue({ payment, view, finalizedFloor })
        ? deps.chain.observePayment({ payment, blockNumber: view.finalizedNumber })
        : undefined,
    ),
  )
  const judged = await Promise.all(
    lane.unsettled.map(async (payment, index) => {
      const seen = evidence[index]
      const verdict = judgePayment({ ...known, payment, evidence: seen })
      return { payment, verdict: await explainRevert(pass, { payment, verdict, evidence: seen }) }
    }),
  )
  if (!(await keepLease(deps, lease))) return 'stale'
  const due: Due = { resends: [], repeats: [], confirmations: [] }
  for (const { payment, verdict } of judged) {
    if ((await apply(pass, { payment, verdict, due })) === 'stale') return 'stale'
  }
  if ((await confirmAll(pass, due.confirmations)) === 'stale') return 'stale'
  if (executor.kind === 'sends') return delegateAgain({ ...pass, ...executor }, due.repeats)
  return sendAttempts(pass, due.resends)
}

/** Work that is batched after all payments are judged. Attempts to send are persisted by then. */
type Due = {
  resends: Sending<SignedAttempt>[]
  repeats: Sending<DelegatedAttempt>[]
  confirmations: Confirmation[]
}

/** The block on which decisions are based. It never goes back for a lane. */
const finalizedNumberOf = ({ lane, view }: Pass): number =>
  view.outcome === 'seen' ? view.finalizedNumber : lane.finalizedFloor

async function confirmAll(pass: Pass, confirmations: Due['confirmations']): Promise<WriteOutcome> {
  if (confirmations.length === 0) return 'done'
  const { deps, lease } = pass
  const finalizedNumber = finalizedNumberOf(pass)
  return deps.store.confirm({ token: lease.token, confirmations, finalizedNumber })
}

/** Writes the verdict, or adds it to the batched work. */
async function apply(
  pass: Pass,
  { payment, verdict, due }: { payment: LanePayment; verdict: Verdict; due: Due },
): Promise<WriteOutcome> {
  const { store, executor } = pass.deps
  const { token } = pass.lease
  const finalizedNumber = finalizedNumberOf(pass)
  switch (verdict.do) {
    case 'wait':
      return 'done'
    case 'lose':
      return store.lose({ token, payment })
    case 'block':
      return store.block({ token, payment, code: verdict.code })
    case 'reconcile':
      return store.reconcile({ token, payment })
    case 'fail':
      return store.fail({ token, payment, code: verdict.code, finalizedNumber })
    case 'requeue':
      return store.requeue({
        token,
        payment,
        endsAtSeconds: verdict.endsAtSeconds,
        finalizedNumber,
      })
    case 'deny':
      if (executor.kind !== 'sends') return 'done'
      return executor.delegations.deny({ token, payment, code: verdict.code, finalizedNumber })
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
  { deps: { store, executor }, lease: { token } }: Pass,
  {
    payment,
    verdict: { replaced, fees },
    due,
  }: { payment: LanePayment; verdict: Extract<Verdict, { do: 'replace' }>; due: Due },
): Promise<WriteOutcome> {
  if (executor.kind !== 'signs') return 'done'
  const attempt = await store.writeReplacement({ token, payment, replaced, fees })
  if (attempt === 'stale') return 'stale'
  due.resends.push({ payment, attempt: attempt === 'refused' ? replaced : attempt })
  return 'done'
}

/** Delay until the next pass; null when nothing is left to do. */
export function nextPassIn(
  { unsettled, queued, queuedDueInMs, isHeld, nowMs }: Lane,
  { pollEveryMs, pollBlockedEveryMs, loseAfterMs }: LaneDeps['settings'],
): number | null {
  // A payment found executed is confirmed as soon as its block is final, usually within seconds.
  const isJustFound = ({ blockCode, stateSinceMs }: LanePayment): boolean =>
    blockCode === 'payment_already_executed' && nowMs - stateSinceMs < loseAfterMs
  const isMoving = unsettled.some(
    (payment) => isHeld || isInFlight(payment.state) || isJustFound(payment),
  )
  if (queued.length > 0 || isMoving) return pollEveryMs
  const waits = [queuedDueInMs, unsettled.length > 0 ? pollBlockedEveryMs : null]
  const known = waits.filter((ms) => ms !== null)
  return known.length > 0 ? Math.min(...known) : null
}
