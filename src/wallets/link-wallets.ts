/** Records the wallets an identity brings. One that is missing from a token is not unlinked. */
import type { Context } from '#context.ts'
import { type Actor, recordChange } from '#journal/journal.ts'
import type { Tx } from '#platform/database.ts'
import { AppError } from '#platform/errors.ts'
import type { LinkedWallet } from '#ports/identity-provider.ts'
import { insertLinkedWallet } from './wallets.store.ts'

export type LinkWallets = { actor: Actor; accountId: string; wallets: readonly LinkedWallet[] }

export async function linkWallets(
  ctx: Pick<Context, 'clock' | 'ids'>,
  tx: Tx,
  { actor, accountId, wallets }: LinkWallets,
): Promise<void> {
  // One order for everybody, so that two sessions with the same wallets cannot deadlock.
  const ordered = [...wallets].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
  for (const wallet of ordered) {
    const id = ctx.ids.next()
    const outcome = await insertLinkedWallet(tx, { id, accountId, wallet, at: ctx.clock.now() })
    if (outcome === 'of_another_account') throw new AppError('wallet_conflict')
    if (outcome === 'inserted') {
      await recordChange(ctx, tx, {
        organizationId: null,
        actor,
        action: 'wallet.linked',
        aggregateType: 'wallet',
        aggregateId: id,
        data: { accountId, ...wallet },
        live: {
          kind: 'integration.changed',
          aggregateType: 'integration',
          targetState: 'active',
          severity: 'healthy',
          code: 'wallet_linked',
        },
      })
    }
  }
}

const nameOf = (wallet: LinkedWallet): string =>
  wallet.chainType === 'ethereum' ? wallet.address : wallet.nativeAddress
