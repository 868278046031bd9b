/** The engine's store over PostgreSQL: what each of its operations does to the books. */
import { findPosition } from '#chain/chain.store.ts'
import { claimLane, extendLease, lockLane } from '#executor/lane.ts'
import type {
  DelegationStore,
  Fence,
  HoldStore,
  LaneStore,
  Written,
} from '#payments/engine/lane.ts'
import type { Tx } from '#platform/database/database.ts'
import type { Sign } from '#ports/executor-provider.ts'
import { listAttemptsOf } from './attempts.store.ts'
import { type Books, type BooksContext, move, write } from './fenced-write.ts'
import { adoptExecuted, holdLane, releaseHold } from './hold-lane.ts'
import { type LanePaymentRow, listQueued, listUnsettled } from './lane.store.ts'
import { toLanePayment } from './lane-rows.ts'
import { postpone } from './postpone-payments.ts'
import { recordTries, recordWords, writeEntrusted } from './record-delegations.ts'
import { confirm, endUnpaid, recordSends } from './record-outcomes.ts'
import { writeAhead, writeReplacement } from './record-signatures.ts'

export function createLaneBooks(
  ctx: BooksContext,
  organizationId: string,
  sign?: Sign,
): LaneStore & HoldStore & DelegationStore {
  const books = { ctx, organizationId, sign }
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
    writeReplacement: (input) => writeReplacement(books, input),
    recordSends: (input) => recordSends(books, input),

    writeEntrusted: (input) => writeEntrusted(books, input),
    recordTries: (input) => recordTries(books, input),
    recordWords: (input) => recordWords(books, input),

    postpone: (input) => postpone(books, input),
    lose: (input) => write(books, input, (locked) => move(books, locked, 'lose')),
    block: ({ code, ...input }) =>
      write(books, input, (locked) => move(books, locked, 'block', { code })),
    reconcile: (input) => write(books, input, (locked) => move(books, locked, 'reconcile')),
    fail: (input) =>
      write(books, input, (locked) => endUnpaid(books, locked, { ...input, event: 'fail' })),
    deny: (input) =>
      write(books, input, (locked) => endUnpaid(books, locked, { ...input, event: 'block' })),
    confirm: (input) => confirm(books, input),

    holdLane: ({ fence, chainNonce }) =>
      fenced((tx) => holdLane(ctx, tx, { organizationId, fence, chainNonce })),
    adoptExecuted: ({ fence }) => fenced((tx) => adoptExecuted(ctx, tx, { organizationId, fence })),
    releaseHold: (input) => releaseHold(ctx, { organizationId, ...input }),
  }
}

async function load(
  { ctx, organizationId }: Books,
  { fence, queuedMax }: { fence: Fence; queuedMax: number },
) {
  const { laneId } = fence
  return ctx.db.transaction({ organizationId }, async (tx) => {
    const [lane, unsettled, position, queued] = await Promise.all([
      lockLane(tx, { organizationId, fence }),
      listUnsettled(tx, { organizationId, laneId }),
      findPosition(tx),
      listQueued(tx, { organizationId, laneId, limit: queuedMax }),
    ])
    if (!lane) return 'stale'
    const paymentIds = unsettled.map(({ id }) => id)
    const attempts = await listAttemptsOf(tx, { organizationId, paymentIds })
    const nonceOf = (id: string) => {
      const first = attempts.find(({ paymentId }) => paymentId === id)
      return first?.kind === 'signed' ? first.nonce : 0
    }
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
      followedTo: position?.number ?? 0,
      unsettled: unsettled.toSorted((a, b) => nonceOf(a.id) - nonceOf(b.id)).map(toPayment),
      queued: due.map(toPayment),
      queuedDueInMs: waits.length > 0 ? Math.min(...waits) : null,
    }
  })
}
