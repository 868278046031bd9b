/** The in-memory store, with the fencing that SQL has: each method is one transaction. */
import type {
  DelegationStore,
  FencingToken,
  HoldStore,
  Lane,
  LanePayment,
  LaneStore,
  PeriodEnd,
  Sending,
  WriteOutcome,
} from '#payments/engine/lane.ts'
import { isInFlight, type PaymentEvent } from '#payments/payment.machine.ts'
import type { BlockCode } from '#platform/block-codes.ts'
import {
  adoptPaid,
  delegateAttempt,
  freshLane,
  freshOf,
  freshPayment,
  isTokenStale,
  mayHavePaid,
  movePayment,
  noteWord,
  ownOf,
  type PaymentRow,
  type Rows,
  signAttempt,
  stale,
  takeNonce,
} from './memory-rows.ts'

export type MemoryStore = LaneStore & HoldStore & DelegationStore

export const createMemoryStore = (rows: Rows): MemoryStore => ({
  ...leases(rows),
  ...attempts(rows),
  ...delegated(rows),
  ...outcomes(rows),
  ...holds(rows),
  loadLane: async (input) => loadLane(rows, input),
})

function leases(rows: Rows): Pick<LaneStore, 'claimLane' | 'renewLane' | 'releaseLane'> {
  const { nowMs } = rows
  const leaseUntil = (token: FencingToken, atMs: number): WriteOutcome => {
    const lane = freshLane(rows, token)
    if (!lane) return stale(rows)
    lane.leasedUntilMs = atMs
    return 'done'
  }
  return {
    async claimLane({ laneId, leaseMs }) {
      const lane = rows.lanes.get(laneId)
      if (!lane) throw new Error('no such lane')
      const freeInMs = lane.leasedUntilMs - nowMs()
      if (freeInMs > 0) return { outcome: 'busy', freeInMs }
      lane.epoch += 1
      lane.leasedUntilMs = nowMs() + leaseMs
      return { outcome: 'claimed', token: { laneId, epoch: lane.epoch } }
    },
    renewLane: async ({ token, leaseMs }) => leaseUntil(token, nowMs() + leaseMs),
    releaseLane: async ({ token }) => leaseUntil(token, nowMs()),
  }
}

const copyOf = ({ isProvenByReceipt }: Rows, row: PaymentRow): LanePayment => ({
  ...row,
  expected: isProvenByReceipt || row.isActivation ? null : row.expected,
  // A nonce that was used elsewhere needs no person: nothing was at stake.
  isGivenUp: row.isActivation,
  // Cleared attempts are used and reverted, which changes no decision.
  attempts: row.attempts
    .filter(({ kind, isCleared }) => kind === 'signed' || !isCleared)
    .map((attempt) => ({ ...attempt })),
})

const lastNonceOf = ({ attempts }: LanePayment): number => {
  const last = attempts.at(-1)
  return last?.kind === 'signed' ? last.nonce : -1
}

function loadLane(rows: Rows, input: { token: FencingToken; queuedMax: number }): Lane | 'stale' {
  const lane = freshLane(rows, input.token)
  if (!lane) return stale(rows)
  const nowMs = rows.nowMs()
  const own = ownOf(rows, lane.id)
  const queued = own.filter(({ state, isCancelled }) => state === 'queued' && !isCancelled)
  const waits = queued.map(({ dueAtMs }) => dueAtMs - nowMs).filter((ms) => ms > 0)
  return {
    ...lane,
    nowMs,
    followedTo: rows.followedTo(),
    unsettled: own
      .filter((row) => isInFlight(row.state) || mayHavePaid(row))
      .map((row) => copyOf(rows, row))
      .sort((a, b) => lastNonceOf(a) - lastNonceOf(b)),
    queued: queued
      .filter(({ dueAtMs }) => dueAtMs <= nowMs)
      .sort((a, b) => a.queuedOrder - b.queuedOrder)
      .sort((a, b) => Number(b.isActivation) - Number(a.isActivation))
      .slice(0, input.queuedMax)
      .map((row) => copyOf(rows, row)),
    queuedDueInMs: waits.length > 0 ? Math.min(...waits) : null,
  }
}

function attempts(rows: Rows): Pick<LaneStore, 'writeAhead' | 'writeReplacement' | 'recordSends'> {
  return {
    async writeAhead({ token, payments, fees }) {
      if (isTokenStale(rows, token)) return stale(rows)
      const written: Sending[] = []
      for (const { payment, row } of freshOf(rows, token, payments)) {
        if (row.isCancelled) continue
        const nonce = takeNonce(rows, row)
        const attempt = await signAttempt(rows, row, { nonce, feeRank: 0, fees })
        row.attempts.push(attempt)
        movePayment(rows, row, { event: 'writeAhead' })
        written.push({ payment, attempt: { ...attempt } })
      }
      return written
    },
    async writeReplacement({ token, payment, replaced, fees }) {
      const row = freshPayment(rows, { token, payment })
      if (!row) return stale(rows)
      const place = { nonce: replaced.nonce, feeRank: replaced.feeRank + 1 }
      const attempt = await signAttempt(rows, row, { ...place, fees })
      row.attempts.push(attempt)
      return { ...attempt }
    },
    async recordSends({ token, sends }) {
      if (isTokenStale(rows, token)) return stale(rows)
      for (const { payment, attempt, event } of sends) {
        const row = freshPayment(rows, { token, payment })
        const sent = row?.attempts.find(({ id }) => id === attempt.id)
        if (!row) stale(rows)
        if (sent) sent.sentAtMs = rows.nowMs()
        if (row && event) movePayment(rows, row, { event })
      }
      return 'done'
    },
  }
}

type Delegated = 'writeDelegated' | 'recordRetries' | 'recordReports' | 'adoptExecuted'

function delegated(rows: Rows): Pick<DelegationStore, Delegated> {
  return {
    async writeDelegated({ token, payments }) {
      if (isTokenStale(rows, token)) return stale(rows)
      return freshOf(rows, token, payments).map(({ payment, row }) => {
        const attempt = delegateAttempt(rows, row)
        row.attempts.push(attempt)
        movePayment(rows, row, { event: 'writeAhead' })
        return { payment, attempt: { ...attempt } }
      })
    },
    async recordRetries({ token, retries }) {
      if (isTokenStale(rows, token)) return stale(rows)
      for (const { payment, attempt } of retries) {
        const row = freshPayment(rows, { token, payment })
        const tried = row?.attempts.find(({ id }) => id === attempt.id)
        if (tried) tried.sentAtMs = rows.nowMs()
      }
      return 'done'
    },
    async recordReports({ token, reports }) {
      if (isTokenStale(rows, token)) return stale(rows)
      for (const heard of reports) {
        const row = freshPayment(rows, { token, payment: heard.payment })
        if (row) noteWord(rows, row, heard)
        else stale(rows)
      }
      return 'done'
    },
    async adoptExecuted({ token }) {
      const lane = freshLane(rows, token)
      if (!lane) return stale(rows)
      adoptPaid(rows, lane.id)
      return 'done'
    },
  }
}

type Outcomes =
  | 'awaitPeriod'
  | 'requeue'
  | 'postpone'
  | 'lose'
  | 'block'
  | 'reconcile'
  | 'fail'
  | 'deny'
  | 'confirm'

function outcomes(rows: Rows): Pick<MemoryStore, Outcomes> {
  type Write = { token: FencingToken; payment: LanePayment; code?: BlockCode }
  const moveIfFresh =
    <T extends Write>(event: PaymentEvent, also: (row: PaymentRow, write: T) => void = () => {}) =>
    async (write: T): Promise<WriteOutcome> => {
      const row = freshPayment(rows, write)
      if (!row) return stale(rows)
      also(row, write)
      const { code } = write
      return movePayment(rows, row, code === undefined ? { event } : { event, code })
    }
  const raiseFloor = (row: PaymentRow, { finalizedNumber }: { finalizedNumber: number }) => {
    const lane = rows.lanes.get(row.laneId)
    if (lane) lane.finalizedFloor = Math.max(lane.finalizedFloor, finalizedNumber)
  }
  const clear = (row: PaymentRow, write: { finalizedNumber: number }) => {
    for (const attempt of row.attempts) attempt.isCleared = true
    raiseFloor(row, write)
  }
  const backOff = (row: PaymentRow) => {
    row.postponements += 1
    row.dueAtMs = rows.nowMs() + Math.min(500 * 2 ** row.postponements, 4_000)
  }
  const postpone = moveIfFresh('postpone', backOff)
  const block = moveIfFresh('block')
  const confirmOne = moveIfFresh<Write & { finalizedNumber: number }>('confirm', raiseFloor)
  return {
    postpone,
    awaitPeriod: moveIfFresh<Write & PeriodEnd>('postpone', (row, { endsAtSeconds }) => {
      row.dueAtMs = endsAtSeconds * 1_000
    }),
    requeue: moveIfFresh<Parameters<LaneStore['requeue']>[0]>('requeue', (row, write) => {
      clear(row, write)
      row.dueAtMs = write.endsAtSeconds * 1_000
    }),
    lose: moveIfFresh('lose'),
    // The vault may accept an activation later: it is tried again.
    block: ({ token, payment, code }) =>
      rows.payments.get(payment.id)?.isActivation && payment.state === 'queued'
        ? postpone({ token, payment })
        : block({ token, payment, code }),
    reconcile: moveIfFresh('reconcile'),
    fail: moveIfFresh<Parameters<LaneStore['fail']>[0]>('fail', clear),
    deny: moveIfFresh<Parameters<MemoryStore['deny']>[0]>('block', clear),
    async confirm({ token, confirmations, finalizedNumber }) {
      if (isTokenStale(rows, token)) return stale(rows)
      for (const { payment } of confirmations) {
        const write = { token, payment, finalizedNumber }
        if (!freshPayment(rows, write) || rows.isLogApplied()) await confirmOne(write)
      }
      return 'done'
    },
  }
}

function holds(rows: Rows): HoldStore {
  return {
    async holdLane({ token }) {
      const lane = freshLane(rows, token)
      if (!lane) return stale(rows)
      lane.isHeld = true
      return 'done'
    },
    async releaseHold({ token, chainNonce }) {
      const lane = freshLane(rows, token)
      if (!lane) return stale(rows)
      const paid = ownOf(rows, lane.id).filter(({ expected }) =>
        rows.isOnChain(expected.chainPaymentId),
      )
      for (const row of paid.filter(({ state }) => state === 'queued')) {
        movePayment(rows, row, { event: 'block', code: 'payment_already_executed' })
      }
      if (paid.some(({ state }) => state !== 'confirmed')) return 'kept'
      lane.isHeld = false
      lane.nextNonce = Math.max(lane.nextNonce, chainNonce)
      return 'done'
    },
  }
}
