/**
 * Links the wallet that has signed a challenge. Sessions never unlink it: they only add the wallets
 * that an ID token names.
 */
import { messageDigest, messageSignerOf } from '@countersign/proof/link-message.ts'
import type { Context } from '#context.ts'
import type { Actor } from '#journal/actor.ts'
import type { Tx } from '#platform/database/database.ts'
import { AppError } from '#platform/errors.ts'
import {
  findChallenge,
  type LinkChallenge,
  releaseChallenge,
  useChallenge,
} from './link-challenges.store.ts'
import { LINKED_WALLETS_MAX, linkWallets, recordLinkedWallets } from './link-wallets.ts'
import { findLinkedWallet, lockLinkedAddresses, type Wallet } from './wallets.store.ts'

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
  const { address } = challenge
  const signed = { challenge, signature: signature.toLowerCase() }
  const isSignedByKey = (await messageSignerOf(challenge.message, signed.signature)) === address
  if (!isSignedByKey) await requireContractSignature(ctx, key, signed)
  const actor: Actor = { realm: 'consumer', accountId, requestId }
  return ctx.db.transaction(scope, async (tx) => {
    if (isSignedByKey) await claim(ctx, tx, key)
    return link(ctx, tx, { actor, accountId, address })
  })
}

type ChallengeKey = { accountId: string; challengeId: string }

async function claim({ clock }: LinkContext, tx: Tx, key: ChallengeKey): Promise<void> {
  if (!(await useChallenge(tx, { ...key, at: clock.now() }))) throw used()
}

/**
 * A contract decides for itself, and may not be deployed yet (ERC-6492). The challenge is claimed
 * before the nodes are asked, so that concurrent requests with one challenge cost one query.
 */
async function requireContractSignature(
  ctx: LinkContext,
  key: ChallengeKey,
  { challenge: { address, message }, signature }: { challenge: LinkChallenge; signature: string },
): Promise<void> {
  const scope = { accountId: key.accountId }
  await ctx.db.transaction(scope, async (tx) => {
    await claim(ctx, tx, key)
    await requireRoom(tx, { accountId: key.accountId, address })
  })
  let isAccepted: boolean
  try {
    const digest = messageDigest(message)
    isAccepted = await ctx.chain.isWalletSignature({ address, digest, signature })
  } catch (error) {
    await ctx.db.transaction(scope, (tx) => releaseChallenge(tx, key))
    throw error
  }
  if (isAccepted) return
  throw new AppError('invalid_signature', {
    message:
      "This is not the wallet's signature of the message, and the challenge is used up. " +
      'Request a new one and sign its message exactly as returned.',
  })
}

async function requireRoom(
  tx: Tx,
  { accountId, address }: { accountId: string; address: string },
): Promise<void> {
  const { active } = await lockLinkedAddresses(tx, accountId)
  if (active.has(address) || active.size < LINKED_WALLETS_MAX) return
  throw new AppError('state_conflict', {
    message:
      `An account may have at most ${LINKED_WALLETS_MAX} linked wallets. ` +
      'Unlink one that you no longer use first.',
  })
}

async function link(
  ctx: LinkContext,
  tx: Tx,
  { actor, accountId, address }: { actor: Actor; accountId: string; address: string },
): Promise<Wallet> {
  await requireRoom(tx, { accountId, address })
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
