/** The store in memory, with the fencing that SQL has: each method is one transaction. */
import type {
  Attempt,
  Fence,
  Lane,
  LanePayment,
  LaneStore,
  Sign,
  WriteAhead,
  Written,
} from '#payments/lane.ts'
import {
  isInFlight,
  isLive,
  type PaymentEvent,
  type PaymentState,
  paymentMachine,
} from '#payments/payment.machine.ts'
import { next } from '#platform/machine.ts'
import type { Fees } from '#ports/payment-node.ts'

type AttemptRow = Attempt & { isCleared: boolean }
export type PaymentRow = LanePayment & {
  laneId: string
  attempts: AttemptRow[]
  blockCode: string | null
  queuedOrder: number
  dueAtMs: number
  postponements: number
}
export type LaneRow = Pick<Lane, 'id' | 'address' | 'nextNonce' | 'isHeld' | 'finalizedFloor'> & {
  epoch: number
  leasedUntilMs: number
}

export type Moved = { row: PaymentRow; from: PaymentState; event: PaymentEvent; code?: string }

export type MemoryStore = LaneStore & {
  lanes: Map<string, LaneRow>
  payments: Map<string, PaymentRow>
  /** How many writes came too late, and changed nothing. */
  staleWrites: number
  isFresh(input: { fence: Fence; payment: LanePayment }): PaymentRow | undefined
  move(row: PaymentRow, event: PaymentEvent, code?: string): Written
  takeNonce(row: PaymentRow): number
  sign(row: PaymentRow, place: Place): Promise<AttemptRow>
  add(payment: PaymentRow): void
  /** As a person does through the API. */
  release(row: PaymentRow): void
}

type Place = { nonce: number; feeRank: number; fees: Fees; sign: Sign }

export type StoreInput = {
  nowMs: () => number
  /** Off in one of the wrong variants: whoever writes, writes. */
  isFenced: boolean
  /** The follower has applied the log to the books by now. */
  isLogApplied: () => boolean
  /** The follower knows a log of it. */
  isOnChain: (chainPaymentId: string) => boolean
  onMove: (moved: Moved) => void
}

const isUncleared = ({ isCleared }: AttemptRow): boolean => !isCleared

export const isRowLive = (row: PaymentRow): boolean =>
  isLive({ state: row.state, hasUnclearedAttempt: row.attempts.some(isUncleared) })

/** Blocked, and it may have paid: the engine keeps looking at it. */
const mayHavePaid = (row: PaymentRow): boolean =>
  row.state === 'blocked' && (isRowLive(row) || row.blockCode === 'payment_already_executed')

export function createMemoryStore(input: StoreInput): MemoryStore {
  const { nowMs, isFenced, isLogApplied, isOnChain, onMove } = input
  const lanes = new Map<string, LaneRow>()
  const payments = new Map<string, PaymentRow>()
  let queuedCount = 0

  const stale = (): 'stale' => {
    store.staleWrites += 1
    return 'stale'
  }
  const laneOf = ({ laneId, epoch }: Fence): LaneRow | undefined => {
    const lane = lanes.get(laneId)
    return lane && (lane.epoch === epoch || !isFenced) ? lane : undefined
  }
  const enqueue = (row: PaymentRow) => {
    queuedCount += 1
    row.queuedOrder = queuedCount
    row.dueAtMs = 0
  }
  const written = async (row: PaymentRow, place: Place): Promise<WriteAhead> => {
    const attempt = await store.sign(row, place)
    row.attempts.push(attempt)
    return { outcome: 'written', attempt: { ...attempt } }
  }
  const moveIfFresh =
    <T extends { fence: Fence; payment: LanePayment }>(
      event: PaymentEvent,
      also: (row: PaymentRow, input: T) => void = () => undefined,
    ) =>
    async (write: T & { code?: string }): Promise<Written> => {
      const row = store.isFresh(write)
      if (!row) return stale()
      also(row, write)
      return store.move(row, event, write.code)
    }
  const raiseFloor = (row: PaymentRow, { finalizedNumber }: { finalizedNumber: number }) => {
    const lane = lanes.get(row.laneId)
    if (lane) lane.finalizedFloor = Math.max(lane.finalizedFloor, finalizedNumber)
  }

  const store: MemoryStore = {
    lanes,
    payments,
    staleWrites: 0,

    isFresh({ fence, payment }) {
      const row = payments.get(payment.id)
      // Unfenced, a write assumes that all is still as it was loaded.
      if (!isFenced) return row && Object.assign(row, { state: payment.state })
      const isSame = row?.epoch === payment.epoch && row.state === payment.state
      return laneOf(fence) && isSame ? row : undefined
    },
    move(row, event, code) {
      const from = row.state
      row.state = next(paymentMachine, { from, event })
      if (row.state !== from) row.stateSinceMs = nowMs()
      row.blockCode = row.state === 'blocked' ? (code ?? null) : null
      onMove({ row, from, event, ...(code === undefined ? {} : { code }) })
      return 'done'
    },
    takeNonce({ laneId }) {
      const lane = lanes.get(laneId)
      if (!lane) throw new Error('no such lane')
      lane.nextNonce += 1
      return lane.nextNonce - 1
    },
    async sign(row, { nonce, feeRank, fees, sign }) {
      const address = lanes.get(row.laneId)?.address ?? ''
      const signed = await sign({ address, nonce, fees, call: row.call })
      const id = `${row.id}-${nonce}-${feeRank}`
      const times = { writtenAtMs: nowMs(), sentAtMs: null }
      return { kind: 'signed', id, nonce, feeRank, fees, ...signed, ...times, isCleared: false }
    },
    add(payment) {
      payments.set(payment.id, payment)
      enqueue(payment)
    },
    release(row) {
      row.epoch += 1
      enqueue(row)
      store.move(row, 'release')
    },

    async claimLane({ laneId, leaseMs }) {
      const lane = lanes.get(laneId)
      if (!lane) throw new Error('no such lane')
      if (lane.leasedUntilMs > nowMs()) {
        return { outcome: 'busy', freeInMs: lane.leasedUntilMs - nowMs() }
      }
      lane.epoch += 1
      lane.leasedUntilMs = nowMs() + leaseMs
      return { outcome: 'claimed', fence: { laneId, epoch: lane.epoch } }
    },
    async renewLane({ fence, leaseMs }) {
      const lane = laneOf(fence)
      if (!lane) return stale()
      lane.leasedUntilMs = nowMs() + leaseMs
      return 'done'
    },
    async releaseLane({ fence }) {
      const lane = laneOf(fence)
      if (!lane) return stale()
      lane.leasedUntilMs = nowMs()
      return 'done'
    },
    async loadLane({ fence, queuedMax }) {
      const lane = laneOf(fence)
      if (!lane) return stale()
      const own = [...payments.values()].filter(({ laneId }) => laneId === lane.id)
      const copy = (row: PaymentRow): LanePayment => ({
        ...row,
        attempts: row.attempts.map((attempt) => ({ ...attempt })),
      })
      const lastNonce = ({ attempts }: LanePayment) => attempts.at(-1)?.nonce ?? -1
      const queued = own.filter(({ state }) => state === 'queued')
      const waits = queued.map(({ dueAtMs }) => dueAtMs - nowMs()).filter((ms) => ms > 0)
      return {
        ...lane,
        nowMs: nowMs(),
        unsettled: own
          .filter((row) => isInFlight(row.state) || mayHavePaid(row))
          .map(copy)
          .sort((a, b) => lastNonce(a) - lastNonce(b)),
        queued: queued
          .filter(({ dueAtMs }) => dueAtMs <= nowMs())
          .sort((a, b) => a.queuedOrder - b.queuedOrder)
          .slice(0, queuedMax)
          .map(copy),
        queuedDueInMs: waits.length > 0 ? Math.min(...waits) : null,
      }
    },

    async writeAhead({ fence, payment, fees, sign }) {
      const row = store.isFresh({ fence, payment })
      if (!row) return { outcome: stale() }
      const nonce = store.takeNonce(row)
      const ahead = await written(row, { nonce, feeRank: 0, fees, sign })
      store.move(row, 'writeAhead')
      return ahead
    },
    async writeReplacement({ fence, payment, replaced, fees, sign }) {
      const row = store.isFresh({ fence, payment })
      if (!row) return { outcome: stale() }
      const { nonce } = replaced
      const ahead = await written(row, { nonce, feeRank: replaced.feeRank + 1, fees, sign })
      return ahead.outcome === 'written' ? ahead : { outcome: 'stale' }
    },
    async recordSend({ fence, payment, attempt, event }) {
      const row = store.isFresh({ fence, payment })
      if (!row) return stale()
      const sent = row.attempts.find(({ id }) => id === attempt.id)
      if (sent) sent.sentAtMs = nowMs()
      return event ? store.move(row, event) : 'done'
    },

    postpone: moveIfFresh('postpone', (row) => {
      row.postponements += 1
      row.dueAtMs = nowMs() + Math.min(500 * 2 ** row.postponements, 4_000)
    }),
    lose: moveIfFresh('lose'),
    block: moveIfFresh('block'),
    reconcile: moveIfFresh('reconcile'),
    fail: moveIfFresh('fail', (row, write: Parameters<LaneStore['fail']>[0]) => {
      for (const attempt of row.attempts) attempt.isCleared = true
      raiseFloor(row, write)
    }),
    async confirm(write) {
      const row = store.isFresh(write)
      if (!row) return stale()
      if (!isLogApplied()) return 'later'
      raiseFloor(row, write)
      return store.move(row, 'confirm')
    },

    async holdLane({ fence }) {
      const lane = laneOf(fence)
      if (!lane) return stale()
      lane.isHeld = true
      return 'done'
    },
    async releaseHold({ fence, chainNonce }) {
      const lane = laneOf(fence)
      if (!lane) return stale()
      const own = [...payments.values()].filter(({ laneId }) => laneId === lane.id)
      const paid = own.filter(({ expected }) => isOnChain(expected.chainPaymentId))
      for (const row of paid.filter(({ state }) => state === 'queued')) {
        store.move(row, 'block', 'payment_already_executed')
      }
      const isOpen = own.some(({ attempts }) => attempts.some((a) => a.nonce >= chainNonce))
      if (isOpen || paid.some(({ state }) => state !== 'confirmed')) return 'kept'
      lane.isHeld = false
      lane.nextNonce = chainNonce
      return 'done'
    },
  }
  return store
}
