/** From the command line: a server wallet is taken out of service, for good. */
import type { Context } from '#context.ts'
import { SYSTEM } from '#journal/actor.ts'
import { StartupError } from '#platform/errors.ts'
import { moveWallet } from './move-wallet.ts'
import { findServerWalletAccount, lockServerWallet } from './server-wallets.store.ts'

/** False when it is disabled already. */
export async function disableWallet(
  ctx: Pick<Context, 'ownerDb' | 'clock' | 'ids'>,
  walletId: string,
): Promise<boolean> {
  return ctx.ownerDb.transaction({}, async (tx) => {
    const accountId = await findServerWalletAccount(tx, walletId)
    const found = accountId && (await lockServerWallet(tx, { walletId, accountId }))
    if (!found) throw new StartupError('There is no such server wallet.')
    if (found.state === 'disabled') return false
    if (found.state !== 'active') throw new StartupError('That wallet was never made ready.')
    // The owner writes to no tenant's trail: this stands in the service's own.
    const wallet = { ...found, organizationId: null }
    await moveWallet(ctx, tx, { wallet, event: 'disable', actor: SYSTEM })
    return true
  })
}
