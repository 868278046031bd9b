/** The engine's store, implemented with PostgreSQL. */
import { findPosition } from '#chain/chain.store.ts'
import { claimLane, extendLease, lockLane } from '#executor/lane.ts'
import type {
  DelegationStore,
  FencingToken,
  HoldStore,
  LaneStore,
  WriteOutcome,
} from '#payments/engine/lane.ts'
import type { Tx } from '#platform/database/database.ts'
import type { Sign } from '#ports/executor-provider.ts'
import { listAttemptsOf } from './attempts.store.ts'
import { type LaneStoreContext, type LaneStoreDeps, move, write } from './fenced-write.ts'
import { adoptExecuted, holdLane, releaseHold } from './hold-lane.ts'
import { type LanePaymentRow, listQueued, listUnsettled } from './lane.store.ts'
import { toLanePayment } from './lane-rows.ts'
import { awaitPeriod, postpone } from './postpone-payments.ts'
import { recordReports, recordRetries, writeDelegated } from './record-delegations.ts'
import { confirm, endUnpaid, recordSends } from './record-outcomes.ts'
import { writeAhead, writeReplacement } from './record-signatures.ts'
import { requeue } from './requeue-payment.ts'

export function createLaneStore(
  ctx: LaneStoreContext,
  organizationId: string,
  sign?: Sign,
): LaneStore & HoldStore & DelegationStore {
  const deps = { ctx, organizationId, sign }
  const fenced = (work: (tx: Tx) => Promise<boolean>): Promise<WriteOutcome> =>
    ctx.db.transaction({ organizationId }, async (tx) => ((await work(tx)) ? 'done' : 'stale'))

  return {
    async claimLane({ laneId, leaseMs }) {
      const claim = await ctx.db.transaction({ organizationId }, (tx) =>
        claimLane(tx, { organizationId, laneId, leaseMs }),
      )
      return 'epoch' in claim
        ? { outcome: 'claimed', token: { laneId, epoch: claim.epoch } }
        : { outcome: 'busy', ...claim }
    },
    renewLane: ({ token, leaseMs }) =>
      fenced((tx) => extendLease(tx, { organizationId, ...token, leaseMs })),
    releaseLane: ({ token }) =>
      fenced((tx) => extendLease(tx, { organizationId, ...token, leaseMs: 0 })),
    loadLane: (input) => load(deps, input),

    writeAhead: (input) => writeAhead(deps, input),
    writeReplacement: (input) => writeReplacement(deps, input),
    recordSends: (input) => recordSends(deps, input),

    writeDelegated: (input) => writeDelegated(deps, input),
    recordRetries: (input) => recordRetries(deps, input),
    recordReports: (input) => recordReports(deps, input),

    postpone: (input) => postpone(deps, input),
    awaitPeriod: (input) => awaitPeriod(deps, input),
    lose: (input) => write(deps, input, (locked) => move(deps, locked, 'lose')),
    block: ({ code, ...input }) =>
      write(deps, input, (locked) => move(deps, locked, 'block', { code })),
    reconcile: (input) => write(deps, input, (locked) => move(deps, locked, 'reconcile')),
    requeue: (input) => requeue(deps, input),
    fail: (input) =>
      write(deps, input, (locked) => endUnpaid(deps, locked, { ...input, event: 'fail' })),
    deny: (input) =>
      write(deps, input, (locked) => endUnpaid(deps, locked, { ...input, event: 'block' })),
    confirm: (input) => confirm(deps, input),

    holdLane: ({ token, chainNonce }) =>
      fenced((tx) => holdLane(ctx, tx, { organizationId, token, chainNonce })),
    adoptExecuted: ({ token }) => fenced((tx) => adoptExecuted(ctx, tx, { organizationId, token })),
    releaseHold: (input) => releaseHold(ctx, { organizationId, ...input }),
  }
}

async function load(
  { ctx, organizationId }: LaneStoreDeps,
  { token, queuedMax }: { token: FencingToken; queuedMax: number },
) {
  const { laneId } = token
  return ctx.db.transaction({ organizationId }, async (tx) => {
    const [lane, unsettled, position, queued] = await Promise.all([
      lockLane(tx, { organizationId, token }),
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
