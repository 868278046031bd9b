/**
 * Links the wallet that has signed a challenge. Sessions never unlink it: they only add the wallets
 * that an ID token names.
 */
import { messageDigest, messageSignerOf } from '@countersign/proof/link-message.ts'
import type { Context } from '#context.ts'
import type { Actor } from '#journal/actor.ts'
import type { Tx } from '#platform/database/database.ts'
import { AppError } from '#platform/errors.ts'
import { findChallenge, type LinkChallenge, useChallenge } from './link-challenges.store.ts'
import { linkWallets, recordLinkedWallets } from './link-wallets.ts'
import { findLinkedWallet, type Wallet } from './wallets.store.ts'

type LinkContext = Pick<Context, 'db' | 'clock' | 'ids' | 'chain'>

export type LinkWallet = {
  accountId: string
  requestId: string
  challengeId: string
  signature: string
}

export async function linkWallet(
  ctx: LinkContext,
  { accountId, requestId, challengeId, signature }: LinkWallet,
): Promise<Wallet> {
  const scope = { accountId }
  const key = { accountId, challengeId }
  const challenge = requireUsable(
    ctx,
    await ctx.db.read(scope, (reader) => findChallenge(reader, key)),
  )
  // It may query the nodes, so it runs before the transaction. An outage uses up nothing.
  if (!(await isSignedBy(ctx, challenge, signature.toLowerCase()))) {
    await ctx.db.transaction(scope, (tx) => useChallenge(tx, { ...key, at: ctx.clock.now() }))
    throw new AppError('invalid_signature', {
      message:
        "This is not the wallet's signature of the message, and the challenge is used up. " +
        'Request a new one and sign its message exactly as returned.',
    })
  }
  const actor: Actor = { realm: 'consumer', accountId, requestId }
  return ctx.db.transaction(scope, async (tx) => {
    if (!(await useChallenge(tx, { ...key, at: ctx.clock.now() }))) throw used()
    return link(ctx, tx, { actor, accountId, address: challenge.address })
  })
}

async function link(
  ctx: LinkContext,
  tx: Tx,
  { actor, accountId, address }: { actor: Actor; accountId: string; address: string },
): Promise<Wallet> {
  const wallet = { chainType: 'ethereum', kind: 'external', address } as const
  const linked = await linkWallets(ctx, tx, { accountId, wallets: [wallet] }).catch(inOwnWords)
  await recordLinkedWallets(ctx, tx, { actor, accountId, linked })
  const found = await findLinkedWallet(tx, { accountId, address })
  if (!found) throw new Error('The linked wallet disappeared during the transaction')
  return found
}

/** The default message is about the wallets of an ID token. */
function inOwnWords(error: unknown): never {
  if (!(error instanceof AppError) || error.code !== 'wallet_conflict') throw error
  throw new AppError('wallet_conflict', {
    message: 'This wallet is linked to another account. Unlink it there first.',
  })
}

const used = () =>
  new AppError('state_conflict', { message: 'This challenge was already used. Request a new one.' })

function requireUsable(
  { clock }: Pick<Context, 'clock'>,
  challenge: LinkChallenge | undefined,
): LinkChallenge {
  if (!challenge) throw new AppError('not_found')
  if (challenge.isUsed) throw used()
  if (challenge.expiresAt > clock.now().toISOString()) return challenge
  throw new AppError('state_conflict', {
    message: 'This challenge has expired. Request a new one.',
  })
}

/** A key needs no node; a contract decides for itself, and may not be deployed yet (ERC-6492). */
async function isSignedBy(
  { chain }: LinkContext,
  { message, address }: LinkChallenge,
  signature: string,
): Promise<boolean> {
  if ((await messageSignerOf(message, signature)) === address) return true
  return chain.isWalletSignature({ address, digest: messageDigest(message), signature })
}
