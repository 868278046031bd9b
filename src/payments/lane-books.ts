/**
 * The engine's store over PostgreSQL: each operation is one short transaction that begins by
 * locking the lane under its fence. Whoever claimed the lane later has another fence, and what a
 * stale worker writes changes no row. Locks are taken in one order: lane, expense, payment.
 */
import type { Context } from '#context.ts'
import { lockExpense } from '#expenses/expenses.store.ts'
import { SYSTEM } from '#journal/actor.ts'
import { recordChange } from '#journal/journal.ts'
import { secondsToTimestamp } from '#platform/clock.ts'
import type { Tx } from '#platform/database.ts'
import { textHash } from '#platform/digest.ts'
import type { ExecutionLog } from '#ports/payment-node.ts'
import { insertAttempt, insertReceipt, listAttemptsOf, markSent } from './attempts.store.ts'
import { findAuthority } from './authority.store.ts'
import { authorityRefusal } from './authority.ts'
import { holdLane, releaseHold } from './hold-lane.ts'
import {
  claimLane,
  closePayment,
  extendLease,
  findIsApplied,
  findLanePayment,
  fixExecutor,
  type LanePaymentRow,
  type LaneRow,
  listQueued,
  listUnsettled,
  lockLane,
  postponePayment,
  raiseFloor,
  takeNonce,
} from './lane.store.ts'
import type { Fence, LanePayment, LaneStore, Sign, WriteAhead, Written } from './lane.ts'
import { callOf, toLanePayment, toStoredExecution } from './lane-rows.ts'
import { moveAttempts } from './move-attempts.ts'
import { movePayment } from './move-payment.ts'
import type { PaymentEvent } from './payment.machine.ts'
import { lockPayment } from './payments.store.ts'

export type BooksContext = Pick<Context, 'db' | 'clock' | 'ids' | 'chain' | 'reactions'>

type Books = { ctx: BooksContext; organizationId: string }
type Locked = { tx: Tx; lane: LaneRow; payment: LanePaymentRow }

/** The payment as it was loaded, or `stale`: it has moved on, or begun another life. */
async function write<T>(
  { ctx, organizationId }: Books,
  { fence, payment }: { fence: Fence; payment: LanePayment },
  work: (locked: Locked) => Promise<T>,
): Promise<T | 'stale'> {
  return ctx.db.transaction({ organizationId }, async (tx) => {
    const lane = await lockLane(tx, { organizationId, fence })
    if (!lane) return 'stale'
    const found = await findLanePayment(tx, { organizationId, paymentId: payment.id })
    if (!found) return 'stale'
    await lockExpense(tx, { organizationId, expenseId: found.expenseId })
    await lockPayment(tx, { organizationId, paymentId: payment.id })
    const locked = await findLanePayment(tx, { organizationId, paymentId: payment.id })
    const isSame = locked?.epoch === payment.epoch && locked.state === payment.state
    if (!locked || !isSame) return 'stale'
    return work({ tx, lane, payment: locked })
  })
}

async function move(
  { ctx }: Books,
  { tx, payment }: Locked,
  event: PaymentEvent,
  { code, data }: { code?: string; data?: Record<string, unknown> } = {},
): Promise<Written> {
  const moved = await movePayment(ctx, tx, {
    payment,
    event,
    actor: SYSTEM,
    ...(code !== undefined && { code }),
    ...(data && { data }),
  })
  return moved ? 'done' : 'stale'
}

export function createLaneBooks(ctx: BooksContext, organizationId: string): LaneStore {
  const books = { ctx, organizationId }
  const fenced = (work: (tx: Tx) => Promise<boolean>): Promise<Written> =>
    ctx.db.transaction({ organizationId }, async (tx) => ((await work(tx)) ? 'done' : 'stale'))

  return {
    async claimLane({ laneId, leaseMs }) {
      const claim = await ctx.db.transaction({ organizationId }, (tx) =>
        claimLane(tx, { organizationId, laneId, leaseMs }),
      )
      return 'epoch' in claim
        ? { outcome: 'claimed', fence: { laneId, epoch: claim.epoch } }
        : { outcome: 'busy', ...claim }
    },
    renewLane: ({ fence, leaseMs }) =>
      fenced((tx) => extendLease(tx, { organizationId, ...fence, leaseMs })),
    releaseLane: ({ fence }) =>
      fenced((tx) => extendLease(tx, { organizationId, ...fence, leaseMs: 0 })),
    loadLane: (input) => load(books, input),

    writeAhead: (input) => writeAhead(books, input),
    writeReplacement: async ({ replaced, fees, sign, ...input }) => {
      const { nonce, feeRank } = replaced
      const written = await write(books, input, async (locked) => ({
        outcome: 'written' as const,
        attempt: await storeAttempt(books, locked, { nonce, feeRank: feeRank + 1, fees, sign }),
      }))
      return written === 'stale' ? { outcome: 'stale' } : written
    },
    recordSend: ({ attempt, event, ...input }) =>
      write(books, input, async (locked) => {
        const { tx } = locked
        const { transactionHash } = attempt
        const which = { organizationId, paymentId: input.payment.id, transactionHash }
        await markSent(tx, { organizationId, attemptId: attempt.id })
        await moveAttempts(tx, { ...which, event: 'send' })
        const data = { transactionHash }
        return event === null ? 'done' : move(books, locked, event, { data })
      }),

    postpone: ({ reason, ...input }) =>
      write(books, input, async (locked) => {
        await postponePayment(locked.tx, { organizationId, paymentId: input.payment.id })
        const isNews = locked.payment.postponedTimes === 0
        if (reason === 'gas_missing' && isNews) await tellGasIsMissing(books, locked)
        return move(books, locked, 'postpone')
      }),
    lose: (input) => write(books, input, (locked) => move(books, locked, 'lose')),
    block: ({ code, ...input }) =>
      write(books, input, (locked) => move(books, locked, 'block', { code })),
    reconcile: (input) => write(books, input, (locked) => move(books, locked, 'reconcile')),
    fail: (input) => write(books, input, (locked) => fail(books, locked, input)),
    confirm: (input) => write(books, input, (locked) => confirm(books, locked, input)),

    holdLane: ({ fence, chainNonce }) =>
      fenced((tx) => holdLane(ctx, tx, { organizationId, fence, chainNonce })),
    releaseHold: (input) => releaseHold(ctx, { organizationId, ...input }),
  }
}

/** Rule N holds for every attempt: nothing that was signed can pay any more. */
async function fail(
  books: Books,
  locked: Locked,
  { code, finalizedNumber }: { code: string; finalizedNumber: number },
): Promise<Written> {
  const { tx, lane, payment } = locked
  const key = { organizationId: books.organizationId, paymentId: payment.id }
  await moveAttempts(tx, { ...key, event: 'clear', errorCode: code })
  await closePayment(tx, { ...key, minedHash: null })
  await raiseFloor(tx, { ...key, laneId: lane.id, blockNumber: finalizedNumber })
  const closed = { ...locked, payment: { ...payment, hasOpenAttempt: false } }
  return move(books, closed, 'fail', { code })
}

/** Once the follower has counted it: so it is either promised or spent, and never both. */
async function confirm(
  books: Books,
  locked: Locked,
  { log, finalizedNumber }: { log: ExecutionLog; finalizedNumber: number },
): Promise<Written | 'later'> {
  const { ctx, organizationId } = books
  const { tx, lane, payment } = locked
  const { vaultId, chainPaymentId, approvalId } = payment
  if (!(await findIsApplied(tx, { organizationId, vaultId, chainPaymentId }))) return 'later'
  const { transactionHash, blockNumber, blockHash, logIndex, gasUsed, effectiveGasPrice } = log
  const seen = { transactionHash, blockNumber, blockHash, logIndex }
  const key = { organizationId, paymentId: payment.id }
  await insertReceipt(tx, {
    ...key,
    ...seen,
    gasUsed,
    effectiveGasPrice,
    execution: toStoredExecution(log),
    at: ctx.clock.now(),
  })
  await moveAttempts(tx, { ...key, event: 'mine', transactionHash })
  await moveAttempts(tx, { ...key, event: 'clear' })
  await closePayment(tx, { ...key, minedHash: transactionHash })
  await raiseFloor(tx, { ...key, laneId: lane.id, blockNumber: finalizedNumber })
  await ctx.reactions.paymentConfirmed(tx, { organizationId, approvalId })
  return move(books, locked, 'confirm', { data: seen })
}

async function load(
  { ctx, organizationId }: Books,
  { fence, queuedMax }: { fence: Fence; queuedMax: number },
) {
  const { laneId } = fence
  return ctx.db.transaction({ organizationId }, async (tx) => {
    const lane = await lockLane(tx, { organizationId, fence })
    if (!lane) return 'stale'
    const unsettled = await listUnsettled(tx, { organizationId, laneId })
    const queued = await listQueued(tx, { organizationId, laneId, limit: queuedMax })
    const paymentIds = unsettled.map(({ id }) => id)
    const attempts = await listAttemptsOf(tx, { organizationId, paymentIds })
    const nonceOf = (id: string) => attempts.find(({ paymentId }) => paymentId === id)?.nonce ?? 0
    const toPayment = (row: LanePaymentRow) => toLanePayment(ctx.chain, row, attempts)
    const due = queued.filter(({ isDue }) => isDue)
    const waits = queued.flatMap(({ isDue, dueInMs }) => (isDue || !dueInMs ? [] : [dueInMs]))
    return {
      id: laneId,
      address: lane.address,
      nowMs: lane.nowMs,
      nextNonce: lane.nextNonce,
      isHeld: lane.isHeld,
      finalizedFloor: lane.finalizedFloor,
      unsettled: unsettled.toSorted((a, b) => nonceOf(a.id) - nonceOf(b.id)).map(toPayment),
      queued: due.map(toPayment),
      queuedDueInMs: waits.length > 0 ? Math.min(...waits) : null,
    }
  })
}

type Signing = { nonce: number; feeRank: number; fees: LanePaymentFees; sign: Sign }
type LanePaymentFees = { maxFeePerGas: bigint; maxPriorityFeePerGas: bigint }

async function storeAttempt(
  { ctx, organizationId }: Books,
  { tx, lane, payment }: Locked,
  { nonce, feeRank, fees, sign }: Signing,
) {
  const call = callOf(ctx.chain, payment)
  const { raw, transactionHash } = await sign({ address: lane.address, nonce, fees, call })
  const id = ctx.ids.next()
  const writtenAtMs = await insertAttempt(tx, {
    id,
    organizationId,
    paymentId: payment.id,
    laneId: lane.id,
    executorAddress: lane.address,
    nonce,
    feeRank,
    ...fees,
    transactionHash,
    raw,
    callHash: textHash(call.data),
  })
  await fixExecutor(tx, {
    organizationId,
    paymentId: payment.id,
    laneId: lane.id,
    providerType: lane.providerType,
    address: lane.address,
    transactionHash,
  })
  const sentAtMs = null
  const kind = 'signed' as const
  return { kind, id, nonce, feeRank, fees, transactionHash, raw, writtenAtMs, sentAtMs }
}

async function writeAhead(
  books: Books,
  { fees, sign, ...input }: Parameters<LaneStore['writeAhead']>[0],
): Promise<WriteAhead> {
  const { ctx, organizationId } = books
  const written = await write(books, input, async (locked): Promise<WriteAhead> => {
    const { tx, lane, payment } = locked
    const authority = await findAuthority(tx, { organizationId, paymentId: payment.id })
    if (!authority) return { outcome: 'stale' }
    // The database's time: a worker's clock may be wrong.
    const now = secondsToTimestamp(lane.nowMs / 1000)
    const executorAddress = lane.address
    const refusal = authorityRefusal({ payment, authority, executorAddress, now })
    if (refusal !== undefined) {
      await move(books, locked, 'block', { code: refusal })
      return { outcome: 'blocked' }
    }
    // What was tried out on the chain must be what is signed now.
    if (callOf(ctx.chain, payment).data !== input.payment.call.data) return { outcome: 'stale' }
    const nonce = lane.nextNonce
    const attempt = await storeAttempt(books, locked, { nonce, feeRank: 0, fees, sign })
    await takeNonce(tx, { organizationId, laneId: lane.id })
    const { transactionHash } = attempt
    await move(books, locked, 'writeAhead', { data: { nonce, transactionHash } })
    return { outcome: 'written', attempt }
  })
  return written === 'stale' ? { outcome: 'stale' } : written
}

/** Said once a payment, not at every look; the owner alone can mend it. */
const tellGasIsMissing = ({ ctx, organizationId }: Books, { tx, lane }: Locked): Promise<void> =>
  recordChange(ctx, tx, {
    organizationId,
    actor: SYSTEM,
    action: 'executor.gas_low',
    aggregateType: 'executor',
    aggregateId: lane.id,
    data: { address: lane.address },
    live: {
      kind: 'integration.changed',
      aggregateType: 'integration',
      targetState: 'active',
      severity: 'action_required',
      code: 'executor_gas_low',
    },
  })
