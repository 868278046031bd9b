/** Unlinks a wallet whose key the service does not hold. Sessions do not link it again. */
import type { Context } from '#context.ts'
import { integrationChange, recordChange } from '#journal/journal.ts'
import { AppError } from '#platform/errors.ts'
import { next } from '#platform/machine.ts'
import { updateWalletState } from './server-wallets.store.ts'
import { walletMachine } from './wallet.machine.ts'
import { findHasRole, lockOwnWallet, type Wallet } from './wallets.store.ts'

const conflict = (message: string) => new AppError('state_conflict', { message })

export async function unlinkWallet(
  ctx: Pick<Context, 'db' | 'clock' | 'ids'>,
  { accountId, requestId, walletId }: { accountId: string; requestId: string; walletId: string },
): Promise<Wallet> {
  const key = { accountId, walletId }
  return ctx.db.transaction({ accountId }, async (tx) => {
    const found = await lockOwnWallet(tx, key)
    if (!found) throw new AppError('not_found')
    const { wallet, state: from } = found
    if (wallet.kind === 'server') {
      throw conflict('The service holds the key of a server wallet, so it cannot be unlinked.')
    }
    if (wallet.chainType !== 'ethereum') {
      throw conflict('Only Ethereum wallets can be unlinked: others could not be linked again.')
    }
    // After the lock: a role is assigned only while the wallet is locked as active.
    if (await findHasRole(tx, walletId)) {
      throw conflict('This wallet has an active role. An owner must revoke the role first.')
    }
    const to = next(walletMachine, { from, event: 'unlink' })
    updateWalletState(tx, { walletId, accountId, from, to })
    const { chainType, kind, address } = wallet
    await recordChange(ctx, tx, {
      organizationId: null,
      actor: { realm: 'consumer', accountId, requestId },
      action: 'wallet.unlinked',
      aggregateType: 'wallet',
      aggregateId: walletId,
      data: { accountId, chainType, kind, address },
      live: integrationChange({
        targetState: 'unlinked',
        severity: 'healthy',
        code: 'wallet_unlinked',
      }),
    })
    return wallet
  })
}
