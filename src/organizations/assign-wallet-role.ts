import { checksummed } from '@countersign/proof/values.ts'
import type { Member, WalletRole } from '#access/permissions.ts'
import type { Context } from '#context.ts'
import { recordChange } from '#journal/journal.ts'
import { AppError } from '#platform/errors.ts'
import { findAccountWallet } from '#wallets/wallets.store.ts'
import { asActor, asMember } from './actor.ts'
import { insertWalletRole, lockMembership } from './members.store.ts'

export type AssignWalletRole = {
  actor: Member
  membershipId: string
  walletId: string
  role: WalletRole
}

export type WalletRoleRecord = {
  id: string
  organizationId: string
  membershipId: string
  walletId: string
  role: WalletRole
  address: string
  active: boolean
}

/** Gives a member's own wallet a part in the treasury. */
export async function assignWalletRole(
  ctx: Pick<Context, 'db' | 'clock' | 'ids'>,
  { actor, membershipId, walletId, role }: AssignWalletRole,
): Promise<WalletRoleRecord> {
  const { organizationId } = actor
  return asMember(ctx, actor, async (tx) => {
    const membership = await lockMembership(tx, { organizationId, membershipId })
    if (!membership) throw new AppError('not_found')
    if (membership.state !== 'active') {
      throw new AppError('state_conflict', { message: `That membership is ${membership.state}.` })
    }
    const { accountId } = membership
    const wallet = await findAccountWallet(tx, { walletId, accountId })
    if (!wallet) throw new AppError('not_found')
    if (wallet.address === null) {
      throw new AppError('unsupported_chain', {
        message: 'Only an Ethereum wallet can have a role: this one has no EVM address.',
      })
    }
    // We hold its key: whoever it was not made for must never have a say in what it signs.
    if (wallet.kind === 'server' && wallet.organizationId !== organizationId) {
      throw new AppError('forbidden', {
        message: 'This server wallet was not made for the organization. Have one made for it.',
      })
    }
    if (wallet.kind === 'server' && role === 'approver') {
      throw new AppError('state_conflict', {
        message:
          'A server wallet cannot be an approver: the service holds its key and could sign ' +
          'for it. Assign a wallet whose key only its holder has.',
      })
    }
    const id = ctx.ids.next()
    await insertWalletRole(tx, {
      id,
      organizationId,
      membershipId: membership.id,
      accountId,
      walletId: wallet.id,
      role,
      at: ctx.clock.now(),
    })
    const address = checksummed(wallet.address)
    await recordChange(ctx, tx, {
      organizationId,
      actor: asActor(actor),
      action: 'wallet_role.assigned',
      aggregateType: 'wallet_role',
      aggregateId: id,
      data: { membershipId: membership.id, walletId: wallet.id, role, address },
    })
    return {
      id,
      organizationId,
      membershipId: membership.id,
      walletId: wallet.id,
      role,
      address,
      active: true,
    }
  })
}
