import { checksummed } from '@countersign/proof/values.ts'
import type { Member } from '#access/permissions.ts'
import type { Context } from '#context.ts'
import { recordChange } from '#journal/journal.ts'
import type { Tx } from '#platform/database/database.ts'
import { AppError } from '#platform/errors.ts'
import { next } from '#platform/machine.ts'
import { asActor, asMember, scopeOf } from './actor.ts'
import { lockOpenInvitationsBy } from './invitations.store.ts'
import { moveInvitation } from './invitations.ts'
import {
  findMember,
  lockMembershipWithOwners,
  lockWalletRoles,
  type MemberRecord,
  type MembershipRow,
  updateMembershipState,
  updateWalletRoleState,
  type WalletRoleRow,
} from './members.store.ts'
import { membershipMachine, walletRoleMachine } from './membership.machine.ts'
import { organizationChange } from './organization-change.ts'

/** Notices name the effects on chain that a revocation cannot undo. */
export type RevokedMember = MemberRecord & { notices: string[] }
export type RevokedWalletRole = WalletRoleRow & { notices: string[] }

export type RevokeContext = Pick<Context, 'db' | 'clock' | 'ids' | 'reactions'>

/**
 * The vault contract does not see revocations: an approver stays valid until a new policy omits it.
 */
const noticesOf = (roles: readonly WalletRoleRow[]): string[] =>
  roles
    .filter(({ role, address }) => role === 'approver' && address !== null)
    .map(
      ({ address }) =>
        `A policy on chain may still list approver ${checksummed(address ?? '')}. ` +
        'Configure a new policy to remove it.',
    )

/** Ends the membership, its wallet roles and its open invitations in one transaction. */
export async function revokeMember(
  ctx: RevokeContext,
  { actor, membershipId }: { actor: Member; membershipId: string },
): Promise<RevokedMember> {
  return ctx.db.transaction(scopeOf(actor), async (tx) => {
    const { membership, owners } = await lockWithOwners(tx, { actor, membershipId })
    if (!owners.some(({ id }) => id === actor.membershipId)) throw new AppError('forbidden')
    if (!membership) throw new AppError('not_found')
    requireOtherOwner(membership, owners, 'revoked')
    return endMembership(ctx, tx, { actor, membership, how: 'revoked' })
  })
}

/** A member of any role ends their own membership. */
export async function leaveOrganization(
  ctx: RevokeContext,
  { actor }: { actor: Member },
): Promise<RevokedMember> {
  const { membershipId } = actor
  return ctx.db.transaction(scopeOf(actor), async (tx) => {
    const { membership, owners } = await lockWithOwners(tx, { actor, membershipId })
    if (membership?.state !== 'active') throw new AppError('forbidden')
    requireOtherOwner(membership, owners, 'removed')
    return endMembership(ctx, tx, { actor, membership, how: 'left' })
  })
}

const lockWithOwners = (tx: Tx, { actor, membershipId }: { actor: Member; membershipId: string }) =>
  lockMembershipWithOwners(tx, { organizationId: actor.organizationId, membershipId })

/** An organization without an owner could never be managed again. */
export function requireOtherOwner(
  { id, role, state }: MembershipRow,
  owners: readonly MembershipRow[],
  how: 'revoked' | 'removed' | 'demoted',
): void {
  if (role !== 'owner' || state !== 'active' || owners.some((owner) => owner.id !== id)) return
  throw new AppError('state_conflict', {
    message:
      `The last owner of an organization cannot be ${how}. ` +
      'Make another member an owner first: POST members/{membershipId}/role.',
  })
}

async function endMembership(
  ctx: RevokeContext,
  tx: Tx,
  { actor, membership, how }: { actor: Member; membership: MembershipRow; how: 'revoked' | 'left' },
): Promise<RevokedMember> {
  const { organizationId } = actor
  const { id, accountId, role, state: from } = membership
  // Take every lock before the first audit event, because other commands lock the audit head
  // last.
  const owned = { organizationId, membershipId: id }
  const roles = await lockWalletRoles(tx, owned)
  await ctx.reactions.walletRolesEnding(tx, {
    organizationId,
    walletRoleIds: roles.map(({ id }) => id),
  })
  const invitations = await lockOpenInvitationsBy(tx, owned)
  const at = ctx.clock.now()
  const to = next(membershipMachine, { from, event: 'revoke' })
  updateMembershipState(tx, { organizationId, id, from, to, at })
  await recordChange(ctx, tx, {
    organizationId,
    actor: asActor(actor),
    action: `membership.${how}`,
    aggregateType: 'membership',
    aggregateId: id,
    data: { accountId, role },
    live: organizationChange(`member_${how}`, to),
  })
  for (const walletRole of roles) await endWalletRole(ctx, tx, { actor, role: walletRole, at })
  for (const invitation of invitations) {
    await moveInvitation(ctx, tx, { invitation, event: 'revoke', actor: asActor(actor) })
  }
  const member = await findMember(tx, owned)
  return { ...member, notices: noticesOf(roles) }
}

/** Open approvals of the wallet end with its role. */
export async function endWalletRole(
  ctx: RevokeContext,
  tx: Tx,
  { actor, role, at }: { actor: Member; role: WalletRoleRow; at: Date },
): Promise<void> {
  const { organizationId } = actor
  const to = next(walletRoleMachine, { from: role.state, event: 'revoke' })
  const by = asActor(actor)
  await ctx.reactions.walletRoleRevoked(tx, { organizationId, walletRoleId: role.id, actor: by })
  updateWalletRoleState(tx, { organizationId, id: role.id, from: role.state, to, at })
  await recordChange(ctx, tx, {
    organizationId,
    actor: asActor(actor),
    action: 'wallet_role.revoked',
    aggregateType: 'wallet_role',
    aggregateId: role.id,
    data: { membershipId: role.membershipId, walletId: role.walletId, role: role.role },
    live: organizationChange('wallet_role_revoked', to),
  })
}

export async function revokeWalletRole(
  ctx: RevokeContext,
  { actor, walletRoleId }: { actor: Member; walletRoleId: string },
): Promise<RevokedWalletRole> {
  const { organizationId } = actor
  return asMember(ctx, actor, async (tx) => {
    const [role] = await lockWalletRoles(tx, { organizationId, id: walletRoleId })
    if (!role) throw new AppError('not_found')
    await ctx.reactions.walletRolesEnding(tx, { organizationId, walletRoleIds: [role.id] })
    await endWalletRole(ctx, tx, { actor, role, at: ctx.clock.now() })
    return { ...role, state: 'revoked', notices: noticesOf([role]) }
  })
}
