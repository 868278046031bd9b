/** Cancels an export request, or expires one that was not completed in time. */
import type { Context } from '#context.ts'
import { SYSTEM } from '#journal/actor.ts'
import { addSeconds, timestampToMilliseconds } from '#platform/clock.ts'
import type { Tx } from '#platform/database/database.ts'
import { AppError } from '#platform/errors.ts'
import { enqueue, type JobPayloads } from '#platform/jobs/jobs.ts'
import { findExport, lockExportableWallet } from './exports.store.ts'
import { type ExportContext, moveExport } from './move-export.ts'
import { type Holder, scopeOf } from './move-wallet.ts'

/** Longer than any provider call may take: a claim older than this was abandoned. */
const CLAIMED_SECONDS = 60

type RequestKey = { accountId: string; requestId: string }

/**
 * Locks the wallet before reading the request, so that a concurrent claim comes before or after.
 */
async function lockRequest(tx: Tx, { accountId, requestId }: RequestKey) {
  const found = await findExport(tx, { requestId, accountId })
  if (!found) return undefined
  const { walletId } = found
  const wallet = await lockExportableWallet(tx, { walletId, accountId })
  const request = await findExport(tx, { requestId, accountId })
  return wallet && request && { wallet, request }
}

/** Leaves a request alone that has ended or is being completed. */
export async function cancelExport(
  ctx: ExportContext,
  { holder, walletId, requestId }: { holder: Holder; walletId: string; requestId: string },
): Promise<void> {
  const { accountId } = holder
  const key = { accountId, requestId }
  const found = await ctx.db.transaction({ accountId }, (tx) => lockRequest(tx, key))
  if (found?.request.walletId !== walletId) throw new AppError('not_found')
  await ctx.db.transaction(scopeOf(found.wallet), async (tx) => {
    const { request, wallet } = (await lockRequest(tx, key)) ?? found
    if (request.state !== 'pending') return
    const { organizationId } = wallet
    await moveExport(ctx, tx, { request, organizationId, event: 'cancel', actor: holder })
  })
}

/** Job that expires pending requests, and claimed ones once their worker must be gone. */
export async function expireExport(
  ctx: Pick<Context, 'db' | 'clock' | 'ids'>,
  { accountId, organizationId, requestId }: JobPayloads['expire_wallet_export'],
): Promise<void> {
  await ctx.db.transaction(scopeOf({ accountId, organizationId }), async (tx) => {
    const found = await lockRequest(tx, { accountId, requestId })
    if (!found) return
    const { request } = found
    if (request.state !== 'pending' && request.state !== 'completing') return
    const now = ctx.clock.now()
    const graceSeconds = request.state === 'completing' ? CLAIMED_SECONDS : 0
    const leftMs = timestampToMilliseconds(request.expiresAt) - now.getTime() + graceSeconds * 1000
    if (leftMs > 0) {
      const job = { accountId, organizationId, requestId }
      return enqueue(tx, 'expire_wallet_export', job, { runAt: addSeconds(now, leftMs / 1000) })
    }
    await moveExport(ctx, tx, { request, organizationId, event: 'expire', actor: SYSTEM })
  })
}
