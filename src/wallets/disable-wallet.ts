/** Disables a server wallet permanently, from the command line. */
import type { Context } from '#context.ts'
import { SYSTEM } from '#journal/actor.ts'
import { StartupError } from '#platform/errors.ts'
import { moveWallet } from './move-wallet.ts'
import { findServerWalletAccount, lockServerWallet } from './server-wallets.store.ts'

/** False when the wallet is already disabled. */
export async function disableWallet(
  ctx: Pick<Context, 'ownerDb' | 'clock' | 'ids'>,
  walletId: string,
): Promise<boolean> {
  return ctx.ownerDb.transaction({}, async (tx) => {
    const accountId = await findServerWalletAccount(tx, walletId)
    const found = accountId && (await lockServerWallet(tx, { walletId, accountId }))
    if (!found) throw new StartupError('No server wallet has this id.')
    if (found.state === 'disabled') return false
    if (found.state !== 'active') throw new StartupError('Only an active wallet can be disabled.')
    // The database owner cannot write to a tenant's audit trail, so this goes to the service's own.
    const wallet = { ...found, organizationId: null }
    await moveWallet(ctx, tx, { wallet, event: 'disable', actor: SYSTEM })
    return true
  })
}
