/**
 * Requests a server wallet, once for each idempotency key. The key is stored before a worker asks
 * the provider, and the provider is asked by the wallet's own id: whatever is lost on the way, the
 * same key finds the same wallet, and a job finishes what nobody comes back for.
 */
import type { Context } from '#context.ts'
import type { Tx } from '#platform/database/database.ts'
import { fingerprint } from '#platform/digest.ts'
import { AppError } from '#platform/errors.ts'
import type { Answer } from '#platform/idempotency.ts'
import { askWorker } from '#platform/jobs/ask-worker.ts'
import { enqueue } from '#platform/jobs/jobs.ts'
import { lookForAWhile } from '#platform/patience.ts'
import { isVisible } from '#platform/values.ts'
import type { WalletChain, WalletTerms } from '#ports/wallet-provider.ts'
import { type Holder, recordWallet, scopeOf } from './move-wallet.ts'
import { termsOf } from './provider-terms.ts'
import {
  countServerWallets,
  insertServerWallet,
  lockServerWalletByKey,
  lockWalletQuotas,
  type ServerWallet,
  takeServerWallet,
} from './server-wallets.store.ts'
import { findCreatedWallet, type Wallet } from './wallets.store.ts'

/** Equal requests wait this long for the first. */
const PATIENCE_MS = 5_000
const FINISHED_BY_JOB_AFTER_SECONDS = 60

export type CreateWallet = {
  holder: Holder
  /** The holder's own, which the caller has made sure of. */
  organizationId: string | null
  chainType: WalletChain
  purpose: string
  idempotencyKey: string
  /** What the key stands for. */
  body: unknown
}

/** No key is needed here, and none is there: a worker asks the provider. */
export type RequestContext = Pick<
  Context,
  'db' | 'clock' | 'ids' | 'config' | 'outcomes' | 'secrets'
> & { walletProvider: WalletTerms | undefined }

type Begun = { wallet: ServerWallet; isReady: boolean }

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
  const print = fingerprint(input.body)
  const begun = await lookForAWhile(
    () => ctx.db.transaction(scope, (tx) => begin(ctx, tx, { ...input, print })),
    { patienceMs: PATIENCE_MS },
  )
  if (!begun) {
    throw new AppError('dependency_unavailable', {
      message: 'The first request with this key is still waiting for the provider. Retry shortly.',
      retryAfterSeconds: 1,
    })
  }
  const { wallet, isReady } = begun
  if (!isReady) await askForWallet(ctx, wallet, input.holder)
  return { body: await readWallet(ctx, wallet), replayed: isReady }
}

async function askForWallet(
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

/** Undefined while somebody else is at it. */
async function begin(
  ctx: RequestContext,
  tx: Tx,
  input: CreateWallet & { print: Buffer },
): Promise<Begun | undefined> {
  const { holder, idempotencyKey, print } = input
  const { accountId } = holder
  const key = { accountId, idempotencyKey }
  // The key first: a replay needs no provider.
  const known = await lockServerWalletByKey(tx, key)
  if (!known) await insertRequest(ctx, tx, input)
  const wallet = known ?? (await lockServerWalletByKey(tx, key))
  if (!wallet) return undefined
  if (!wallet.fingerprint.equals(print)) throw new AppError('idempotency_key_reused')
  if (wallet.state !== 'provisioning') return { wallet, isReady: true }
  if (wallet.isTaken) return undefined
  await takeServerWallet(tx, wallet)
  return { wallet: { ...wallet, attempts: wallet.attempts + 1 }, isReady: false }
}

async function insertRequest(
  ctx: RequestContext,
  tx: Tx,
  input: CreateWallet & { print: Buffer },
): Promise<void> {
  const { type: provider } = termsOf(ctx)
  const { holder, organizationId, chainType, purpose, idempotencyKey } = input
  const { accountId } = holder
  await lockWalletQuotas(tx, { accountId, organizationId })
  const walletId = ctx.ids.next()
  const isNew = await insertServerWallet(tx, {
    id: walletId,
    accountId,
    organizationId,
    chainType,
    provider,
    fingerprint: input.print,
    purpose,
    environment: ctx.config.environment,
    idempotencyKey,
    at: ctx.clock.now(),
  })
  if (!isNew) return
  await requireQuotas(ctx, tx, { accountId, organizationId })
  const job = { accountId, organizationId, walletId }
  await enqueue(tx, 'finish_wallet', job, {
    key: `finish_wallet:${walletId}`,
    delaySeconds: FINISHED_BY_JOB_AFTER_SECONDS,
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

/** The new one is counted already; a refusal takes it back. */
async function requireQuotas(
  { config }: RequestContext,
  tx: Tx,
  owner: { accountId: string; organizationId: string | null },
): Promise<void> {
  const { serverWalletsPerAccount, serverWalletsPerOrganization } = config.limits.quotas
  const { ofAccount, ofOrganization } = await countServerWallets(tx, owner)
  const refuse = (who: string, most: number) => {
    throw new AppError('state_conflict', {
      message: `${who} may have ${most} server wallets. Use an existing one.`,
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
  const wallet = await db.transaction({ accountId }, (tx) =>
    findCreatedWallet(tx, { walletId, accountId }),
  )
  if (!wallet) throw new AppError('dependency_unavailable', { retryAfterSeconds: 1 })
  return wallet
}
