/** Creates the message that a wallet signs to be linked to the caller's account. */
import { randomBytes } from 'node:crypto'
import { linkMessageOf } from '@countersign/proof/link-message.ts'
import type { Context } from '#context.ts'
import { addSeconds, timestampToMilliseconds } from '#platform/clock.ts'
import { AppError } from '#platform/errors.ts'
import { lowerCased } from '#platform/values.ts'
import type { WalletChain } from '#ports/wallet-provider.ts'
import { insertChallenge, lockChallenges } from './link-challenges.store.ts'

const LIFETIME_SECONDS = 600
/** Used ones count until they expire, because each may cost a query of the nodes. */
const CHALLENGES_MAX = 10

export type ChallengeLink = { accountId: string; address: string; chainType: WalletChain }
export type LinkingChallenge = { challengeId: string; message: string; expiresAt: string }

function requireOrigin({ config }: Pick<Context, 'config'>): string {
  const { consumerApp } = config.origins
  if (consumerApp !== undefined) return consumerApp
  throw new AppError('dependency_unavailable', {
    message:
      'Linking by signature is not configured: the operator must set CONSUMER_APP_ORIGIN, the ' +
      'origin of the application that wallets show.',
  })
}

export async function challengeLink(
  ctx: Pick<Context, 'db' | 'clock' | 'ids' | 'config' | 'chain'>,
  { accountId, address, chainType }: ChallengeLink,
): Promise<LinkingChallenge> {
  if (chainType !== 'ethereum') {
    throw new AppError('unsupported_chain', {
      message: 'Only Ethereum wallets can be linked by a signature.',
    })
  }
  const origin = requireOrigin(ctx)
  const at = ctx.clock.now()
  const challengeId = ctx.ids.next()
  const expiresAt = addSeconds(at, LIFETIME_SECONDS)
  const message = linkMessageOf({
    origin,
    address,
    chainId: ctx.chain.chainId,
    accountId,
    challengeId,
    nonce: randomBytes(16).toString('hex'),
    issuedAt: at,
    expiresAt,
  })
  await ctx.db.transaction({ accountId }, async (tx) => {
    const [soonest, ...others] = await lockChallenges(tx, { accountId, at })
    if (soonest !== undefined && others.length + 1 >= CHALLENGES_MAX) {
      throw tooMany(timestampToMilliseconds(soonest) - at.getTime())
    }
    const row = { id: challengeId, accountId, address: lowerCased(address), message }
    insertChallenge(tx, { ...row, at, expiresAt })
  })
  return { challengeId, message, expiresAt: expiresAt.toISOString() }
}

const tooMany = (waitMs: number) =>
  new AppError('rate_limited', {
    message: `At most ${CHALLENGES_MAX} challenges per ten minutes. Wait for Retry-After.`,
    retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)),
  })
