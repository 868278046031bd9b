/** First step of an export: stores the recipient key and returns the payload to sign. */
import { addSeconds, timestampToMilliseconds } from '#platform/clock.ts'
import type { WalletProviderType } from '#platform/config/providers.ts'
import type { Tx } from '#platform/database/database.ts'
import { AppError } from '#platform/errors.ts'
import { enqueue } from '#platform/jobs/jobs.ts'
import type { WalletTerms } from '#ports/wallet-provider.ts'
import {
  type ExportableWallet,
  findPendingExport,
  insertExport,
  listExportTimes,
  lockExportableWallet,
  lockExportsOf,
} from './exports.store.ts'
import { type ExportContext, moveExport, recordExport } from './move-export.ts'
import { type Holder, scopeOf } from './move-wallet.ts'
import { termsOf } from './provider-terms.ts'
import { type RecipientKey, readRecipientKey } from './recipient-key.ts'

const LIFETIME_SECONDS = 5 * 60
const REQUESTS_MAX = 5
const HOUR_SECONDS = 60 * 60

export type RequestExport = {
  holder: Holder
  walletId: string
  /** When given, it must be the organization that the wallet was created for. */
  organizationId: string | null
  recipientPublicKey: string
}

export type AuthorizationPayload = {
  version: 1
  method: 'POST'
  url: string
  headers: Record<string, string>
  body: { encryption_type: 'HPKE'; recipient_public_key: string }
  requestId: string
  expiresAt: string
}

export type RequestedExport = {
  requestId: string
  walletId: string
  expiresAt: string
  authorizationPayload: AuthorizationPayload
}

type Request = { requestId: string; expiresAt: string }

/** Deterministic: completing the export rebuilds the payload to verify its signature. */
export const payloadOf = (
  provider: WalletTerms,
  wallet: ExportableWallet,
  { requestId, expiresAt, spki }: Request & { spki: string },
): AuthorizationPayload => ({
  version: 1,
  method: 'POST',
  ...provider.describeExport({ ...wallet, requestId, expiresAt }),
  body: { encryption_type: 'HPKE', recipient_public_key: spki },
  requestId,
  expiresAt,
})

export async function requestExport(
  ctx: ExportContext,
  input: RequestExport,
): Promise<RequestedExport> {
  const { holder, walletId } = input
  const { accountId } = holder
  const recipient = readRecipientKey(input.recipientPublicKey)
  const key = { walletId, accountId }
  const { organizationId } = await ctx.db.transaction({ accountId }, async (tx) =>
    requireExportable(await lockExportableWallet(tx, key), input),
  )
  const { wallet, request } = await ctx.db.transaction(
    scopeOf({ accountId, organizationId }),
    async (tx) => {
      lockExportsOf(tx, accountId)
      const wallet = requireExportable(await lockExportableWallet(tx, key), input)
      termsOf(ctx, wallet.provider)
      return { wallet, request: await openRequest(ctx, tx, { holder, wallet, recipient }) }
    },
  )
  const provider = termsOf(ctx, wallet.provider)
  const payload = payloadOf(provider, wallet, { ...request, spki: recipient.spki })
  return { ...request, walletId, authorizationPayload: payload }
}

type Exportable = ExportableWallet & { provider: WalletProviderType }

function requireExportable(
  wallet: ExportableWallet | undefined,
  { organizationId }: RequestExport,
): Exportable {
  if (!wallet) throw new AppError('not_found')
  if (organizationId !== null && organizationId !== wallet.organizationId) {
    throw new AppError('not_found')
  }
  const { provider, state } = wallet
  if (provider !== null && state === 'active') return { ...wallet, provider }
  throw new AppError('forbidden', {
    message:
      'This wallet cannot be exported: the service does not hold its key, or it is disabled.',
  })
}

/** Cancels a pending request for the same wallet. */
async function openRequest(
  ctx: ExportContext,
  tx: Tx,
  { holder, wallet, recipient }: { holder: Holder; wallet: Exportable; recipient: RecipientKey },
): Promise<Request> {
  const { accountId, walletId, organizationId } = wallet
  await rejectTooMany(ctx, tx, wallet)
  const earlier = await findPendingExport(tx, { walletId, accountId })
  if (earlier) {
    await moveExport(ctx, tx, { request: earlier, organizationId, event: 'cancel', actor: holder })
  }
  const at = ctx.clock.now()
  const requestId = ctx.ids.next()
  const expiresAt = addSeconds(at, LIFETIME_SECONDS)
  const row = { id: requestId, accountId, walletId, recipientKeyHash: recipient.hash }
  insertExport(tx, { ...row, expiresAt, at })
  const job = { accountId, organizationId, requestId }
  enqueue(tx, 'expire_wallet_export', job, { runAt: expiresAt })
  await recordExport(ctx, tx, {
    organizationId,
    walletId,
    requestId,
    actor: holder,
    action: 'wallet_export.requested',
    state: 'pending',
  })
  return { requestId, expiresAt: expiresAt.toISOString() }
}

const secondsFrom = (now: Date, moment: number): number =>
  Math.max(1, Math.ceil((moment - now.getTime()) / 1000))

/** Three failed attempts lock the export of a wallet, for new and for pending requests. */
export function requireNotLocked(
  { clock }: Pick<ExportContext, 'clock'>,
  { lockedUntil }: Pick<ExportableWallet, 'lockedUntil'>,
): void {
  if (lockedUntil === null) return
  const now = clock.now()
  const until = timestampToMilliseconds(lockedUntil)
  if (until <= now.getTime()) return
  throw new AppError('rate_limited', {
    message: 'Export of this wallet is locked after three failed attempts. Wait for Retry-After.',
    retryAfterSeconds: secondsFrom(now, until),
  })
}

async function rejectTooMany(
  ctx: ExportContext,
  tx: Tx,
  { accountId, lockedUntil }: ExportableWallet,
): Promise<void> {
  requireNotLocked(ctx, { lockedUntil })
  const now = ctx.clock.now()
  const since = addSeconds(now, -HOUR_SECONDS)
  const times = await listExportTimes(tx, { accountId, since })
  const oldest = times.at(-REQUESTS_MAX)
  if (oldest !== undefined) {
    throw new AppError('rate_limited', {
      message: 'An account may request at most five exports an hour. Wait for Retry-After.',
      retryAfterSeconds: secondsFrom(now, timestampToMilliseconds(oldest) + HOUR_SECONDS * 1000),
    })
  }
}
