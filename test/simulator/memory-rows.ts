/** The rows of the in-memory store and the operations that change them. */
import type { Execution } from '@countersign/proof/execution.ts'
import type { Attempt, DelegatedAttempt, SignedAttempt } from '#payments/engine/attempt.ts'
import type { AttemptReport, FencingToken, Lane, LanePayment } from '#payments/engine/lane.ts'
import {
  isLive,
  type PaymentEvent,
  type PaymentState,
  paymentMachine,
} from '#payments/payment.machine.ts'
import type { BlockCode } from '#platform/block-codes.ts'
import { next } from '#platform/machine.ts'
import type { Sign } from '#ports/executor-provider.ts'
import type { Fees } from '#ports/payment-node.ts'

type AttemptRow = Attempt & { isCleared: boolean }
export type PaymentRow = Omit<LanePayment, 'attempts' | 'expected'> & {
  laneId: string
  expected: Execution
  attempts: AttemptRow[]
  blockCode: BlockCode | null
  queuedOrder: number
  dueAtMs: number
  postponements: number
  /** The activation of a policy: nothing is paid, and only a receipt proves it. */
  isActivation: boolean
  /** Its policy was vetoed, and nothing of it is in flight. */
  isCancelled: boolean
}
type LaneRow = Pick<Lane, 'id' | 'address' | 'nextNonce' | 'isHeld' | 'finalizedFloor'> & {
  epoch: number
  leasedUntilMs: number
}

export type Moved = { row: PaymentRow; from: PaymentState; event: PaymentEvent; code?: BlockCode }

export type Rows = {
  nowMs: () => number
  /** Off in one of the wrong variants: every write succeeds. */
  isFenced: boolean
  /** As for deposits: no log proves the payment. */
  isProvenByReceipt: boolean
  sign: Sign
  /** The block that the follower has reached. */
  followedTo: () => number
  /** The follower has applied the log to the store. */
  isLogApplied: () => boolean
  /** The follower knows a log of it. */
  isOnChain: (chainPaymentId: string) => boolean
  onMove: (moved: Moved) => void
  lanes: Map<string, LaneRow>
  payments: Map<string, PaymentRow>
  /** How many were queued so far. */
  queuedCount: number
  /** How many stale writes changed nothing. */
  staleWrites: number
}

export const isRowLive = ({ state, attempts }: PaymentRow): boolean =>
  isLive({ state, hasUnclearedAttempt: attempts.some(({ isCleared }) => !isCleared) })

/** Blocked, but possibly paid: the engine keeps observing it. */
export const mayHavePaid = (row: PaymentRow): boolean =>
  row.state === 'blocked' && (isRowLive(row) || row.blockCode === 'payment_already_executed')

export function stale(rows: Rows): 'stale' {
  rows.staleWrites += 1
  return 'stale'
}

export function freshLane({ lanes, isFenced }: Rows, { laneId, epoch }: FencingToken) {
  const lane = lanes.get(laneId)
  return lane && (lane.epoch === epoch || !isFenced) ? lane : undefined
}

/** As in SQL: `where id = … and epoch = … and state = …`, with the lane's epoch locked. */
export function freshPayment(
  rows: Rows,
  { token, payment }: { token: FencingToken; payment: LanePayment },
): PaymentRow | undefined {
  const row = rows.payments.get(payment.id)
  // Without the fencing token, a write assumes that nothing has changed since loading.
  if (!rows.isFenced) return row && Object.assign(row, { state: payment.state })
  const isSame = row?.epoch === payment.epoch && row.state === payment.state
  return freshLane(rows, token) && isSame ? row : undefined
}

/** Without a fencing token no writer is stale. */
export const isTokenStale = (rows: Rows, token: FencingToken): boolean =>
  rows.isFenced && freshLane(rows, token) === undefined

/** Those that are unchanged since they were loaded. */
export const freshOf = (rows: Rows, token: FencingToken, payments: readonly LanePayment[]) =>
  payments.flatMap((payment) => {
    const row = freshPayment(rows, { token, payment })
    if (!row) stale(rows)
    return row ? [{ payment, row }] : []
  })

export function movePayment(
  { nowMs, onMove }: Rows,
  row: PaymentRow,
  { event, code }: { event: PaymentEvent; code?: BlockCode },
): 'done' {
  const from = row.state
  row.state = next(paymentMachine, { from, event })
  if (row.state !== from) row.stateSinceMs = nowMs()
  row.blockCode = row.state === 'blocked' ? (code ?? null) : null
  onMove({ row, from, event, ...(code === undefined ? {} : { code }) })
  return 'done'
}

export function takeNonce({ lanes }: Rows, { laneId }: PaymentRow): number {
  const lane = lanes.get(laneId)
  if (!lane) throw new Error('no such lane')
  lane.nextNonce += 1
  return lane.nextNonce - 1
}

export async function signAttempt(
  { nowMs, lanes, sign }: Rows,
  row: PaymentRow,
  { nonce, feeRank, fees }: { nonce: number; feeRank: number; fees: Fees },
): Promise<SignedAttempt & { isCleared: boolean }> {
  const address = lanes.get(row.laneId)?.address ?? ''
  const signed = await sign({ address, nonce, fees, call: row.call })
  const id = `${row.id}-${nonce}-${feeRank}`
  const times = { writtenAtMs: nowMs(), sentAtMs: null }
  return { kind: 'signed', id, nonce, feeRank, fees, ...signed, ...times, isCleared: false }
}

/** The key consists of the payment and its attempt number: the same again after a restore. */
export function delegateAttempt(
  { nowMs }: Rows,
  row: PaymentRow,
): DelegatedAttempt & { isCleared: boolean } {
  const id = `${row.id}#${row.attempts.length + 1}`
  const unheard = { providerReference: null, status: null, reportedAtMs: null, reportedBlock: null }
  const named = { transactionHash: null, isSameCall: true }
  const times = { writtenAtMs: nowMs(), sentAtMs: null }
  return {
    kind: 'entrusted',
    id,
    idempotencyKey: id,
    ...unheard,
    ...named,
    ...times,
    isCleared: false,
  }
}

/** An earlier reference or hash stays until another is given. */
export function noteWord(rows: Rows, row: PaymentRow, heard: AttemptReport): void {
  const noted = row.attempts.find(({ id }) => id === heard.attempt.id)
  if (noted?.kind !== 'entrusted') return
  const { report, reportedBlock, wasAsked, event } = heard
  if (wasAsked) noted.sentAtMs = rows.nowMs()
  if (report) {
    noted.status = report.status
    noted.reportedAtMs = rows.nowMs()
    noted.reportedBlock = reportedBlock
    noted.providerReference = report.providerReference ?? noted.providerReference
    noted.transactionHash = report.transactionHash ?? noted.transactionHash
  }
  if (event) movePayment(rows, row, { event })
}

export const ownOf = ({ payments }: Rows, laneId: string): PaymentRow[] =>
  [...payments.values()].filter((row) => row.laneId === laneId)

/** Paid on the chain, but stored as queued or as ended unpaid. */
export function adoptPaid(rows: Rows, laneId: string): void {
  for (const row of ownOf(rows, laneId).filter((one) =>
    rows.isOnChain(one.expected.chainPaymentId),
  )) {
    const code = 'payment_already_executed'
    if (row.state === 'queued') movePayment(rows, row, { event: 'block', code })
    const isOver = row.state === 'failed' || (row.state === 'blocked' && !mayHavePaid(row))
    if (isOver) movePayment(rows, row, { event: 'reconcile' })
  }
}

export function enqueue(rows: Rows, row: PaymentRow): void {
  rows.payments.set(row.id, row)
  rows.queuedCount += 1
  row.queuedOrder = rows.queuedCount
  row.dueAtMs = 0
}

/** As a member does through the API. */
export function releaseAgain(rows: Rows, row: PaymentRow): void {
  row.epoch += 1
  enqueue(rows, row)
  movePayment(rows, row, { event: 'release' })
}
