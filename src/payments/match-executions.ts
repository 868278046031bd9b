/**
 * Matches what a vault has logged as paid with the payment rows. A payment without a row becomes an
 * unrecorded payment; a row that the engine no longer tracks, although the vault has paid it, is
 * handed back to the engine. The job compares the whole vault each time, so it may run at any time
 * and any number of times.
 */
import type { Context } from '#context.ts'
import { findActiveBinding } from '#executor/executor.store.ts'
import { lockLaneRow } from '#executor/lane.ts'
import { SYSTEM } from '#journal/actor.ts'
import { adoptUnseen } from '#payments/lane-store/hold-lane.ts'
import type { Tx } from '#platform/database/database.ts'
import { enqueue, enqueueAll, type JobPayloads } from '#platform/jobs/jobs.ts'
import { lockVault } from '#treasury/vaults.store.ts'
import { listLoggedPayments } from './executions.store.ts'
import { insertFound, moveUnrecorded } from './move-unrecorded-payment.ts'
import { wakeLane } from './release-payment.ts'
import {
  findUnrecordedId,
  listNewUnrecorded,
  listOutdated,
  listUnmatchedVaults,
} from './unrecorded-payments.store.ts'

type MatchContext = Pick<Context, 'db' | 'clock' | 'ids'>
type VaultKey = JobPayloads['match_executions']

/** Payments per transaction; the next job takes the rest. */
const FOUND_AT_ONCE = 100
const VAULTS_AT_ONCE = 500

const keyOf = ({ vaultId }: VaultKey) => `match_executions:${vaultId}`

export const enqueueMatching = (tx: Tx, vault: VaultKey): void =>
  enqueue(tx, 'match_executions', vault, { key: keyOf(vault) })

/** In the follower's transaction. Returns the lanes to wake; untracked logs start the job. */
export async function noticeExecutions(
  tx: Tx,
  { chainPaymentIds, ...vault }: VaultKey & { chainPaymentIds: readonly string[] },
): Promise<string[]> {
  const { organizationId, vaultId } = vault
  const rows = await listLoggedPayments(tx, { organizationId, chainPaymentIds })
  const watched = rows.filter((row) => row.vaultId === vaultId && row.isWatched)
  const isEveryWatched = new Set(chainPaymentIds).size === watched.length
  if (!isEveryWatched) enqueueMatching(tx, vault)
  return [...new Set(rows.flatMap(({ laneId }) => (laneId === null ? [] : [laneId])))].sort()
}

/** Job: matches the logs of one vault with the payment rows. */
export async function matchExecutions(ctx: MatchContext, vault: VaultKey): Promise<void> {
  const { organizationId } = vault
  await ctx.db.transaction({ organizationId }, (tx) => matchUnrecorded(ctx, tx, vault))
  await ctx.db.transaction({ organizationId }, (tx) => adoptWithActiveLane(ctx, tx, vault))
}

/** Holds the vault's lock, as reservations do, so no payment row appears meanwhile. */
async function matchUnrecorded(ctx: MatchContext, tx: Tx, vault: VaultKey): Promise<void> {
  const { organizationId } = vault
  if (!(await lockVault(tx, vault))) return
  for (const { id: unrecordedPaymentId, isLogged } of await listOutdated(tx, vault)) {
    const event = isLogged ? 'record' : 'withdraw'
    await moveUnrecorded(ctx, tx, { organizationId, unrecordedPaymentId, event, actor: SYSTEM })
  }
  const found = await listNewUnrecorded(tx, { ...vault, limit: FOUND_AT_ONCE })
  for (const logged of found) {
    const known = await findUnrecordedId(tx, { ...vault, chainPaymentId: logged.chainPaymentId })
    const shared = { organizationId, logged, actor: SYSTEM }
    if (known === undefined) await insertFound(ctx, tx, shared)
    else await moveUnrecorded(ctx, tx, { ...shared, unrecordedPaymentId: known, event: 'find' })
  }
  if (found.length === FOUND_AT_ONCE) enqueueMatching(tx, vault)
}

/** Without an executor they cannot be settled yet; the daily sweep retries. */
async function adoptWithActiveLane(ctx: MatchContext, tx: Tx, vault: VaultKey): Promise<void> {
  const { organizationId } = vault
  const executor = await findActiveBinding(tx, organizationId)
  if (!executor) return
  const lane = { organizationId, laneId: executor.id }
  lockLaneRow(tx, lane)
  if ((await adoptUnseen(ctx, tx, lane)) > 0) wakeLane(tx, lane)
}

/** Job: finds payments that an earlier version or a failed job left unmatched. */
export async function sweepExecutions(
  ctx: Pick<Context, 'db' | 'observerDb' | 'log'>,
): Promise<void> {
  const vaults = await listUnmatchedVaults(ctx.observerDb, VAULTS_AT_ONCE)
  if (vaults.length === 0) return
  ctx.log.warn({ vaults: vaults.length }, 'found vaults with unmatched payments')
  const jobs = vaults.map((vault) => ({ payload: vault, options: { key: keyOf(vault) } }))
  await ctx.db.transaction({}, (tx) => enqueueAll(tx, 'match_executions', jobs))
}

export const enqueueSweep = (ctx: Pick<Context, 'db'>): Promise<void> =>
  ctx.db.transaction({}, (tx) => enqueue(tx, 'sweep_executions', {}, { key: 'sweep_executions' }))
