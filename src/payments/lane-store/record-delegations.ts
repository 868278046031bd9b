/** Stores delegated attempts and the provider reports about them. */
import { textHash } from '@countersign/proof/digest.ts'
import { SYSTEM } from '#journal/actor.ts'
import type { DelegatedAttempt } from '#payments/engine/attempt.ts'
import type {
  AttemptReport,
  DelegationStore,
  Sending,
  WriteOutcome,
} from '#payments/engine/lane.ts'
import { movePayments } from '#payments/move-payment.ts'
import type { Tx } from '#platform/database/database.ts'
import { uuidOf } from '#platform/digest.ts'
import { markSent } from './attempts.store.ts'
import { findAttemptCounts, insertDelegated, updateReports } from './delegated-attempts.store.ts'
import { type LaneStoreDeps, type Locked, writeAll } from './fenced-write.ts'
import { fixExecutor } from './lane.store.ts'
import { moveAttempts } from './record-outcomes.ts'
import { blocksOf, putAside, type Reviewed, reviewAll } from './review-authority.ts'

/**
 * Derived from values that a restored backup still has: it asks with the same key again, and the
 * provider creates nothing twice. A payment gets another key only after the finality rule has
 * cleared the previous attempt.
 */
const idempotencyKeyOf = ({ paymentId, number }: { paymentId: string; number: number }): string =>
  uuidOf(`countersign.attempt.v1/${paymentId}/${number}`)

/** Write-ahead: the key is persisted before the provider is asked with it. */
export async function writeDelegated(
  deps: LaneStoreDeps,
  { token, payments }: Parameters<DelegationStore['writeDelegated']>[0],
): ReturnType<DelegationStore['writeDelegated']> {
  const { ctx } = deps
  const items = payments.map((payment) => ({ payment }))
  const aside = putAside(deps, token)
  return writeAll(deps, { token, items, putAside: aside }, async (batch) => {
    const { refused, admitted } = await reviewAll(deps, batch)
    const attempts = await storeAttempts(deps, batch, admitted)
    const written = admitted.flatMap((one, index) => {
      const attempt = attempts[index]
      return attempt ? [{ ...one, attempt }] : []
    })
    await movePayments(ctx, batch.tx, [
      ...blocksOf(refused),
      ...written.map(({ row, attempt: { idempotencyKey } }) => {
        const data = { idempotencyKey }
        return { payment: row, event: 'writeAhead' as const, actor: SYSTEM, data }
      }),
    ])
    return written.map(({ payment, attempt }) => ({ payment, attempt }))
  })
}

async function storeAttempts(
  { ctx, organizationId }: LaneStoreDeps,
  { tx, lane }: Pick<Locked, 'tx' | 'lane'>,
  admitted: Reviewed['admitted'],
): Promise<DelegatedAttempt[]> {
  if (admitted.length === 0) return []
  const paymentIds = admitted.map(({ row }) => row.id)
  const counts = await findAttemptCounts(tx, { organizationId, paymentIds })
  const attempts = admitted.map(({ row: { id: paymentId }, call }) => {
    const number = 1 + (counts.get(paymentId) ?? 0)
    const idempotencyKey = idempotencyKeyOf({ paymentId, number })
    return { id: ctx.ids.next(), paymentId, number, idempotencyKey, callHash: textHash(call.data) }
  })
  const writtenAtMs = await insertDelegated(tx, { organizationId, lane, attempts })
  const unnamed = attempts.map(({ paymentId }) => ({ paymentId, transactionHash: null }))
  fixExecutor(tx, { organizationId, lane, attempts: unnamed })
  return attempts.map(({ id, idempotencyKey }) => ({
    kind: 'entrusted',
    id,
    idempotencyKey,
    providerReference: null,
    status: null,
    reportedAtMs: null,
    reportedBlock: null,
    transactionHash: null,
    isSameCall: true,
    writtenAtMs,
    sentAtMs: null,
  }))
}

export async function recordRetries(
  deps: LaneStoreDeps,
  { token, retries }: Parameters<DelegationStore['recordRetries']>[0],
): Promise<WriteOutcome> {
  const written = await writeAll(deps, { token, items: retries }, async ({ tx, items }) => {
    markAsked(deps, tx, items)
    return items
  })
  return written === 'stale' ? 'stale' : 'done'
}

export async function recordReports(
  deps: LaneStoreDeps,
  { token, reports }: Parameters<DelegationStore['recordReports']>[0],
): Promise<WriteOutcome> {
  const { ctx, organizationId } = deps
  const written = await writeAll(deps, { token, items: reports }, async ({ tx, items }) => {
    markAsked(
      deps,
      tx,
      items.filter(({ wasAsked }) => wasAsked),
    )
    const reported = items.flatMap(({ attempt, report, reportedBlock }) =>
      report ? [{ attemptId: attempt.id, ...report, reportedBlock }] : [],
    )
    updateReports(tx, { organizationId, reports: reported })
    const moves = items.flatMap(({ row, event, report }) =>
      event === null ? [] : [{ payment: row, event, actor: SYSTEM, data: reportData(report) }],
    )
    return movePayments(ctx, tx, moves)
  })
  return written === 'stale' ? 'stale' : 'done'
}

/** Recorded before and after the request, so that it is never repeated too soon. */
function markAsked(
  { organizationId }: LaneStoreDeps,
  tx: Tx,
  items: readonly (Sending<DelegatedAttempt> & { row: { id: string } })[],
): void {
  if (items.length === 0) return
  const attemptIds = items.map(({ attempt }) => attempt.id)
  const paymentIds = items.map(({ row }) => row.id)
  markSent(tx, { organizationId, attemptIds })
  moveAttempts(tx, { organizationId, paymentIds, event: 'send' })
}

const reportData = (report: AttemptReport['report']): Record<string, unknown> => ({
  providerState: report?.status,
  providerReference: report?.providerReference,
  transactionHash: report?.transactionHash,
  ...(report?.code && { providerCode: report.code }),
})
