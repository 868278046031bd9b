import { checksummed } from '@countersign/proof/values.ts'
import type { Member, WalletRole } from '#access/permissions.ts'
import type { Context } from '#context.ts'
import { recordChange } from '#journal/journal.ts'
import { AppError } from '#platform/errors.ts'
import { lockAccountWallet } from '#wallets/wallets.store.ts'
import { asActor, asMember } from './actor.ts'
import { insertWalletRole, lockMembership } from './members.store.ts'
import { organizationChange } from './organization-change.ts'

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

/** Assigns a treasury role to a wallet of a member. */
export async function assignWalletRole(
  ctx: Pick<Context, 'db' | 'clock' | 'ids'>,
  { actor, membershipId, walletId, role }: AssignWalletRole,
): Promise<WalletRoleRecord> {
  const { organizationId } = actor
  return asMember(ctx, actor, async (tx) => {
    const membership = await lockMembership(tx, { organizationId, membershipId })
    if (!membership) throw new AppError('not_found')
    if (membership.state !== 'active') {
      throw new AppError('state_conflict', {
        message: `The membership is ${membership.state}. Choose an active member.`,
      })
    }
    const { accountId } = membership
    const wallet = await lockAccountWallet(tx, { walletId, accountId })
    if (!wallet) throw new AppError('not_found')
    if (wallet.address === null) {
      throw new AppError('unsupported_chain', {
        message: 'This wallet has no EVM address. Only an Ethereum wallet can have a role.',
      })
    }
    // The service holds this wallet's key, so only the organization it was created for may use it.
    if (wallet.kind === 'server' && wallet.organizationId !== organizationId) {
      throw new AppError('forbidden', {
        message: 'This server wallet was not created for this organization. Create one that is.',
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
      live: organizationChange('wallet_role_assigned', 'active'),
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
