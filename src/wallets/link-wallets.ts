/**
 * Links the wallets of an identity. A wallet that is missing from a token is not unlinked, and one
 * that its holder has unlinked stays so until they link it by a signature.
 */
import type { Context } from '#context.ts'
import type { Actor } from '#journal/actor.ts'
import { integrationChange, recordChange } from '#journal/journal.ts'
import type { Tx } from '#platform/database/database.ts'
import { AppError } from '#platform/errors.ts'
import type { LinkedWallet } from '#ports/identity-provider.ts'
import { insertLinkedWallet, lockLinkedAddresses } from './wallets.store.ts'

/** Lists of members and sessions contain all of them. */
export const LINKED_WALLETS_MAX = 50

type LinkContext = Pick<Context, 'clock' | 'ids'>
export type NewWallet = { id: string; wallet: LinkedWallet }

/** Returns the new wallets, which the caller records last. */
export async function linkWallets(
  ctx: LinkContext,
  tx: Tx,
  { accountId, wallets }: { accountId: string; wallets: readonly LinkedWallet[] },
): Promise<NewWallet[]> {
  // A fixed order, so that two sessions with the same wallets cannot deadlock.
  const ordered = [...wallets].sort((a, b) => (addressOf(a) < addressOf(b) ? -1 : 1))
  const linked: NewWallet[] = []
  for (const wallet of ordered) {
    const id = ctx.ids.next()
    const outcome = await insertLinkedWallet(tx, { id, accountId, wallet, at: ctx.clock.now() })
    if (outcome === 'of_another_account') throw new AppError('wallet_conflict')
    if (outcome === 'inserted') linked.push({ id, wallet })
  }
  return linked
}

/** As `linkWallets`, for the wallets that an ID token names. Leaves out those beyond the limit. */
export async function linkTokenWallets(
  ctx: LinkContext,
  tx: Tx,
  { accountId, wallets }: { accountId: string; wallets: readonly LinkedWallet[] },
): Promise<NewWallet[]> {
  if (wallets.length === 0) return []
  const { active, unlinked } = await lockLinkedAddresses(tx, accountId)
  const isActive = (wallet: LinkedWallet) => active.has(addressOf(wallet))
  const fresh = wallets.filter((wallet) => !isActive(wallet) && !unlinked.has(addressOf(wallet)))
  const room = Math.max(0, LINKED_WALLETS_MAX - active.size)
  return linkWallets(ctx, tx, { accountId, wallets: fresh.slice(0, room) })
}

export async function recordLinkedWallets(
  ctx: LinkContext,
  tx: Tx,
  { actor, accountId, linked }: { actor: Actor; accountId: string; linked: readonly NewWallet[] },
): Promise<void> {
  for (const { id, wallet } of linked) {
    await recordChange(ctx, tx, {
      organizationId: null,
      actor,
      action: 'wallet.linked',
      aggregateType: 'wallet',
      aggregateId: id,
      data: { accountId, ...wallet },
      live: integrationChange({
        targetState: 'active',
        severity: 'healthy',
        code: 'wallet_linked',
      }),
    })
  }
}

const addressOf = (wallet: LinkedWallet): string =>
  wallet.chainType === 'ethereum' ? wallet.address : wallet.nativeAddress
