/** An export request that is taken back, or that nobody completed in time. */
import type { Context } from '#context.ts'
import { SYSTEM } from '#journal/actor.ts'
import { addSeconds, timestampToMilliseconds } from '#platform/clock.ts'
import type { Tx } from '#platform/database/database.ts'
import { AppError } from '#platform/errors.ts'
import { enqueue, type JobPayloads } from '#platform/jobs/jobs.ts'
import { findExport, lockExportableWallet } from './exports.store.ts'
import { type ExportContext, moveExport } from './move-export.ts'
import { type Holder, scopeOf } from './move-wallet.ts'

/** A provider is never waited for so long: whoever claimed it is gone. */
const CLAIMED_SECONDS = 60

type RequestKey = { accountId: string; requestId: string }

/** The request with its wallet locked, so that a claim is either before or after. */
async function lockRequest(tx: Tx, { accountId, requestId }: RequestKey) {
  const found = await findExport(tx, { requestId, accountId })
  if (!found) return undefined
  const { walletId } = found
  const wallet = await lockExportableWallet(tx, { walletId, accountId })
  const request = await findExport(tx, { requestId, accountId })
  return wallet && request && { wallet, request }
}

/** One that has ended, or is being completed, is left as it is. */
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

/** Job: also closes one whose completion broke off, once nobody can be at it any more. */
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
    const patience = request.state === 'completing' ? CLAIMED_SECONDS : 0
    const leftMs = timestampToMilliseconds(request.expiresAt) - now.getTime() + patience * 1000
    if (leftMs > 0) {
      const job = { accountId, organizationId, requestId }
      return enqueue(tx, 'expire_wallet_export', job, { runAt: addSeconds(now, leftMs / 1000) })
    }
    await moveExport(ctx, tx, { request, organizationId, event: 'expire', actor: SYSTEM })
  })
}
