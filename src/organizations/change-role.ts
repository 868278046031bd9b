/**
 * Changes a member's role. Everything that depends on the role follows in the same transaction:
 * wallet roles that only owners hold, with their approvals, and invitations that the new role could
 * not have sent. Reviewers are read from the memberships whenever somebody reviews.
 */
import { checksummed } from '@countersign/proof/values.ts'
import type { Member, Role, WalletRole } from '#access/permissions.ts'
import { recordChange } from '#journal/journal.ts'
import type { Tx } from '#platform/database/database.ts'
import { AppError } from '#platform/errors.ts'
import { asActor, scopeOf } from './actor.ts'
import { lockOpenInvitationsBy } from './invitations.store.ts'
import { mayInvite, moveInvitation } from './invitations.ts'
import {
  findMember,
  lockMembershipWithOwners,
  lockWalletRoles,
  type MembershipRow,
  updateMembershipRole,
  type WalletRoleRow,
} from './members.store.ts'
import { organizationChange } from './organization-change.ts'
import {
  endWalletRole,
  type RevokeContext,
  type RevokedMember,
  requireOtherOwner,
} from './revoke-member.ts'

export type ChangeRole = { actor: Member; membershipId: string; role: Role }

/** Approvers may have any role; only owners deploy and configure vaults. */
const walletRolesOf: Record<Role, readonly WalletRole[]> = {
  owner: ['treasury_owner', 'approver'],
  manager: ['approver'],
  employee: ['approver'],
}

/** The change does not reach the vault contract: its owner stays the owner. */
const noticesOf = (ended: readonly WalletRoleRow[]): string[] =>
  ended.map(
    ({ address }) =>
      `On chain, wallet ${checksummed(address ?? '')} still owns its vaults. ` +
      'Move their funds to a vault of another owner.',
  )

export async function changeRole(
  ctx: RevokeContext,
  { actor, membershipId, role }: ChangeRole,
): Promise<RevokedMember> {
  const { organizationId } = actor
  const key = { organizationId, membershipId }
  return ctx.db.transaction(scopeOf(actor), async (tx) => {
    const { membership, owners } = await lockMembershipWithOwners(tx, key)
    if (!owners.some(({ id }) => id === actor.membershipId)) throw new AppError('forbidden')
    if (!membership) throw new AppError('not_found')
    if (membership.state !== 'active') {
      throw new AppError('state_conflict', {
        message: `The membership is ${membership.state}. Only active members have a role.`,
      })
    }
    if (membership.role === role) return { ...(await findMember(tx, key)), notices: [] }
    requireOtherOwner(membership, owners, 'demoted')
    const ended = await applyRole(ctx, tx, { actor, membership, role })
    return { ...(await findMember(tx, key)), notices: noticesOf(ended) }
  })
}

async function applyRole(
  ctx: RevokeContext,
  tx: Tx,
  { actor, membership, role }: { actor: Member; membership: MembershipRow; role: Role },
): Promise<WalletRoleRow[]> {
  const { organizationId } = actor
  const { id, accountId, role: from } = membership
  const owned = { organizationId, membershipId: id }
  // Every lock comes before the first audit event, because other commands lock the audit head last.
  const walletRoles = await lockWalletRoles(tx, owned)
  await ctx.reactions.walletRolesEnding(tx, {
    organizationId,
    walletRoleIds: walletRoles.map(({ id }) => id),
  })
  const invitations = await lockOpenInvitationsBy(tx, owned)
  updateMembershipRole(tx, { organizationId, id, from, to: role })
  await recordChange(ctx, tx, {
    organizationId,
    actor: asActor(actor),
    action: 'membership.role_changed',
    aggregateType: 'membership',
    aggregateId: id,
    data: { accountId, from, role },
    // Notifies every owner.
    live: organizationChange('member_role_changed', role),
  })
  const at = ctx.clock.now()
  const isLost = (held: WalletRole): boolean =>
    walletRolesOf[from].includes(held) && !walletRolesOf[role].includes(held)
  const ended = walletRoles.filter((walletRole) => isLost(walletRole.role))
  for (const walletRole of ended) await endWalletRole(ctx, tx, { actor, role: walletRole, at })
  for (const invitation of invitations) {
    if (mayInvite(role, invitation.role)) continue
    await moveInvitation(ctx, tx, { invitation, event: 'revoke', actor: asActor(actor) })
  }
  return ended
}
