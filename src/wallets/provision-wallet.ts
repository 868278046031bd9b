/**
 * Worker side of wallet creation: asks the provider for a stored and leased wallet, and activates
 * it.
 */
import type { Context } from '#context.ts'
import { type Actor, SYSTEM } from '#journal/actor.ts'
import { AppError } from '#platform/errors.ts'
import { answerCaller } from '#platform/jobs/ask-worker.ts'
import type { JobPayloads } from '#platform/jobs/jobs.ts'
import type { ProvidedWallet } from '#ports/wallet-provider.ts'
import { moveWallet, scopeOf } from './move-wallet.ts'
import { RETRY_AFTER_SECONDS, termsOf } from './provider-terms.ts'
import {
  leaseServerWallet,
  lockServerWallet,
  releaseServerWallet,
  type ServerWallet,
} from './server-wallets.store.ts'

export type WalletContext = Pick<Context, 'db' | 'clock' | 'ids' | 'walletProvider' | 'secrets'>

/** Throws `dependency_unavailable` unless the wallet is ready afterwards. */
async function provisionWallet(
  ctx: WalletContext,
  { wallet, actor }: { wallet: ServerWallet; actor: Actor },
): Promise<void> {
  const { id: walletId, chainType, attempts } = wallet
  const made = await withLeaseReleased(ctx, wallet, () =>
    termsOf(ctx, wallet.provider).create({ walletId, chainType, isRepeat: attempts > 1 }),
  )
  if (made.outcome === 'created') return activate(ctx, { wallet, actor, made })
  await giveUp(ctx, { wallet, actor, code: made.code })
  throw new AppError('dependency_unavailable', {
    message: 'The wallet provider refused to create this wallet. Ask the operator.',
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    cause: new Error(`The wallet provider refused: ${made.code}`),
  })
}

/**
 * Releases the lease when the outcome is unknown, so that the next attempt need not wait for it.
 */
async function withLeaseReleased(
  ctx: WalletContext,
  wallet: ServerWallet,
  work: () => Promise<ProvidedWallet>,
): Promise<ProvidedWallet> {
  try {
    return await work()
  } catch (error) {
    await ctx.db.transaction(scopeOf(wallet), (tx) => releaseServerWallet(tx, wallet))
    throw error
  }
}

type CreatedWallet = Extract<ProvidedWallet, { outcome: 'created' }>

async function activate(
  ctx: WalletContext,
  { wallet, actor, made }: { wallet: ServerWallet; actor: Actor; made: CreatedWallet },
): Promise<void> {
  const { id: walletId, accountId, chainType, provider } = wallet
  const { address, reference } = made
  await ctx.db.transaction(scopeOf(wallet), async (tx) => {
    const current = await lockServerWallet(tx, { walletId, accountId })
    // A concurrent attempt was faster. The provider creates one wallet per id, so it is the same
    // one.
    if (current?.state !== 'provisioning') return
    const isEvm = chainType === 'ethereum'
    await moveWallet(ctx, tx, {
      wallet: current,
      event: 'succeed',
      actor,
      made: {
        address: isEvm ? address : null,
        nativeAddress: isEvm ? null : address,
        reference,
      },
      data: { accountId, chainType, provider, address },
    })
  })
}

/**
 * After a single attempt the provider holds nothing, so the wallet fails. After several attempts
 * that is unknown, so only the lease is released.
 */
async function giveUp(
  ctx: WalletContext,
  { wallet, actor, code }: { wallet: ServerWallet; actor: Actor; code: string },
): Promise<void> {
  const { id: walletId, accountId, attempts } = wallet
  await ctx.db.transaction(scopeOf(wallet), async (tx) => {
    const current = await lockServerWallet(tx, { walletId, accountId })
    if (current?.state !== 'provisioning') return
    if (attempts === 1 && current.attempts === 1) {
      await moveWallet(ctx, tx, { wallet: current, event: 'fail', actor, data: { code } })
    } else {
      releaseServerWallet(tx, current)
    }
  })
}

/** Job for a waiting request that holds the lease, unless a later request has taken over. */
export async function createRequestedWallet(
  ctx: WalletContext,
  { actor, organizationId, walletId, attempt, replyTo }: JobPayloads['create_wallet'],
): Promise<void> {
  const { accountId } = actor
  await answerCaller(ctx, replyTo, async () => {
    const scope = scopeOf({ accountId, organizationId })
    const wallet = await ctx.db.transaction(scope, (tx) =>
      lockServerWallet(tx, { walletId, accountId }),
    )
    if (wallet?.state !== 'provisioning') return
    if (wallet.attempts !== attempt) throw new AppError('dependency_unavailable')
    await provisionWallet(ctx, { wallet, actor })
  })
}

/**
 * Job that completes a wallet no request waits for. It retries later while the wallet is leased.
 */
export async function finishWallet(
  ctx: WalletContext,
  { accountId, organizationId, walletId }: JobPayloads['finish_wallet'],
): Promise<void> {
  const wallet = await ctx.db.transaction(
    scopeOf({ accountId, organizationId }),
    async (tx): Promise<ServerWallet | undefined> => {
      const found = await lockServerWallet(tx, { walletId, accountId })
      if (found?.state !== 'provisioning') return undefined
      if (found.isTaken) throw new AppError('dependency_unavailable')
      leaseServerWallet(tx, found)
      return { ...found, attempts: found.attempts + 1 }
    },
  )
  if (wallet) await provisionWallet(ctx, { wallet, actor: SYSTEM })
}
