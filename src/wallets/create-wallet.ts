/**
 * Requests a server wallet, once per idempotency key. The row is persisted before a worker asks the
 * provider, and the provider is asked by wallet id, so a retry finds the same wallet. A job
 * completes requests that no client retries.
 */
import type { Context } from '#context.ts'
import type { Tx } from '#platform/database/database.ts'
import { fingerprint } from '#platform/digest.ts'
import { AppError } from '#platform/errors.ts'
import type { Answer } from '#platform/idempotency.ts'
import { askWorker } from '#platform/jobs/ask-worker.ts'
import { enqueue } from '#platform/jobs/jobs.ts'
import { pollUntil } from '#platform/poll.ts'
import { isVisible } from '#platform/values.ts'
import type { WalletChain, WalletTerms } from '#ports/wallet-provider.ts'
import { type Holder, recordWallet, scopeOf } from './move-wallet.ts'
import { termsOf } from './provider-terms.ts'
import {
  countServerWallets,
  insertServerWallet,
  leaseServerWallet,
  lockServerWalletByKey,
  lockWalletQuotas,
  type ServerWallet,
} from './server-wallets.store.ts'
import { findCreatedWallet, type Wallet } from './wallets.store.ts'

/** How long a repeated request waits for the first one. */
const WAIT_FOR_FIRST_MS = 5_000
const JOB_DELAY_SECONDS = 60

export type CreateWallet = {
  holder: Holder
  /** The caller has verified that the holder belongs to it. */
  organizationId: string | null
  chainType: WalletChain
  purpose: string
  idempotencyKey: string
  /** The request body that the idempotency key is bound to. */
  body: unknown
}

/** API processes hold no provider key; only a worker asks the provider. */
export type RequestContext = Pick<
  Context,
  'db' | 'clock' | 'ids' | 'config' | 'outcomes' | 'secrets'
> & { walletProvider: WalletTerms | undefined }

type LeasedRequest = { wallet: ServerWallet; isReady: boolean }

export async function createWallet(
  ctx: RequestContext,
  input: CreateWallet,
): Promise<Answer<Wallet>> {
  if (!isVisible(input.purpose)) {
    throw new AppError('validation_failed', {
      message: '`purpose` must have a visible character.',
    })
  }
  const scope = scopeOf({
    accountId: input.holder.accountId,
    organizationId: input.organizationId,
  })
  const requestFingerprint = fingerprint(input.body)
  const leased = await pollUntil(
    () => ctx.db.transaction(scope, (tx) => begin(ctx, tx, { ...input, requestFingerprint })),
    { timeoutMs: WAIT_FOR_FIRST_MS },
  )
  if (!leased) {
    throw new AppError('dependency_unavailable', {
      message: 'The first request with this key is still waiting for the provider. Retry shortly.',
      retryAfterSeconds: 1,
    })
  }
  const { wallet, isReady } = leased
  if (!isReady) await requestWallet(ctx, wallet, input.holder)
  return { body: await readWallet(ctx, wallet), replayed: isReady }
}

async function requestWallet(
  ctx: RequestContext,
  { id: walletId, organizationId, accountId, attempts: attempt }: ServerWallet,
  actor: Holder,
): Promise<void> {
  await askWorker(ctx, (replyTo) =>
    ctx.db.transaction(scopeOf({ accountId, organizationId }), (tx) =>
      enqueue(
        tx,
        'create_wallet',
        { actor, organizationId, walletId, attempt, replyTo },
        { attemptsMax: 1 },
      ),
    ),
  )
}

/** Undefined while another request holds the lease. */
async function begin(
  ctx: RequestContext,
  tx: Tx,
  input: CreateWallet & { requestFingerprint: Buffer },
): Promise<LeasedRequest | undefined> {
  const { holder, idempotencyKey, requestFingerprint } = input
  const { accountId } = holder
  const key = { accountId, idempotencyKey }
  // Look up the key first: a replay needs no provider.
  const known = await lockServerWalletByKey(tx, key)
  if (!known) await insertRequest(ctx, tx, input)
  const wallet = known ?? (await lockServerWalletByKey(tx, key))
  if (!wallet) return undefined
  if (!wallet.fingerprint.equals(requestFingerprint)) throw new AppError('idempotency_key_reused')
  if (wallet.state !== 'provisioning') return { wallet, isReady: true }
  if (wallet.isTaken) return undefined
  leaseServerWallet(tx, wallet)
  return { wallet: { ...wallet, attempts: wallet.attempts + 1 }, isReady: false }
}

async function insertRequest(
  ctx: RequestContext,
  tx: Tx,
  input: CreateWallet & { requestFingerprint: Buffer },
): Promise<void> {
  const { type: provider } = termsOf(ctx)
  const { holder, organizationId, chainType, purpose, idempotencyKey } = input
  const { accountId } = holder
  lockWalletQuotas(tx, { accountId, organizationId })
  const walletId = ctx.ids.next()
  const isNew = await insertServerWallet(tx, {
    id: walletId,
    accountId,
    organizationId,
    chainType,
    provider,
    fingerprint: input.requestFingerprint,
    purpose,
    environment: ctx.config.environment,
    idempotencyKey,
    at: ctx.clock.now(),
  })
  if (!isNew) return
  await requireQuotas(ctx, tx, { accountId, organizationId })
  const job = { accountId, organizationId, walletId }
  enqueue(tx, 'finish_wallet', job, {
    key: `finish_wallet:${walletId}`,
    delaySeconds: JOB_DELAY_SECONDS,
  })
  await recordWallet(ctx, tx, {
    organizationId,
    walletId,
    actor: holder,
    action: 'wallet.requested',
    data: { accountId, chainType, purpose, provider },
    severity: 'healthy',
    state: 'provisioning',
  })
}

/** Counts after the insert; throwing rolls the insert back. */
async function requireQuotas(
  { config }: RequestContext,
  tx: Tx,
  owner: { accountId: string; organizationId: string | null },
): Promise<void> {
  const { serverWalletsPerAccount, serverWalletsPerOrganization } = config.limits.quotas
  const { ofAccount, ofOrganization } = await countServerWallets(tx, owner)
  const refuse = (who: string, max: number) => {
    throw new AppError('state_conflict', {
      message: `${who} may have at most ${max} server wallets. Use an existing one.`,
    })
  }
  if (ofAccount > serverWalletsPerAccount) refuse('An account', serverWalletsPerAccount)
  if (ofOrganization > serverWalletsPerOrganization) {
    refuse('An organization', serverWalletsPerOrganization)
  }
}

async function readWallet(
  { db }: Pick<Context, 'db'>,
  { id: walletId, accountId }: ServerWallet,
): Promise<Wallet> {
  const wallet = await db.read({ accountId }, (reader) =>
    findCreatedWallet(reader, { walletId, accountId }),
  )
  if (!wallet) throw new AppError('dependency_unavailable', { retryAfterSeconds: 1 })
  return wallet
}
