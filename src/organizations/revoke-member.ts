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

type RevokeContext = Pick<Context, 'db' | 'clock' | 'ids' | 'reactions'>

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
  const { organizationId } = actor
  return ctx.db.transaction(scopeOf(actor), async (tx) => {
    const target = await lockMembershipToRevoke(tx, { actor, membershipId })
    // Take every lock before the first audit event, because other commands lock the audit head
    // last.
    const owned = { organizationId, membershipId: target.id }
    const roles = await lockWalletRoles(tx, owned)
    const invitations = await lockOpenInvitationsBy(tx, owned)
    const at = ctx.clock.now()
    const to = next(membershipMachine, { from: target.state, event: 'revoke' })
    await updateMembershipState(tx, { organizationId, id: target.id, from: target.state, to, at })
    await recordChange(ctx, tx, {
      organizationId,
      actor: asActor(actor),
      action: 'membership.revoked',
      aggregateType: 'membership',
      aggregateId: target.id,
      data: { accountId: target.accountId, role: target.role },
      live: organizationChange('member_revoked', to),
    })
    for (const role of roles) await endWalletRole(ctx, tx, { actor, role, at })
    for (const invitation of invitations) {
      await moveInvitation(ctx, tx, { invitation, event: 'revoke', actor: asActor(actor) })
    }
    const member = await findMember(tx, owned)
    return { ...member, notices: noticesOf(roles) }
  })
}

async function lockMembershipToRevoke(
  tx: Tx,
  { actor, membershipId }: { actor: Member; membershipId: string },
): Promise<MembershipRow> {
  const { organizationId } = actor
  const { membership, owners } = await lockMembershipWithOwners(tx, {
    organizationId,
    membershipId,
  })
  if (!owners.some(({ id }) => id === actor.membershipId)) throw new AppError('forbidden')
  if (!membership) throw new AppError('not_found')
  if (membership.state === 'active' && membership.role === 'owner' && owners.length === 1) {
    throw new AppError('state_conflict', {
      message: 'The last owner of an organization cannot be revoked.',
    })
  }
  return membership
}

async function endWalletRole(
  ctx: RevokeContext,
  tx: Tx,
  { actor, role, at }: { actor: Member; role: WalletRoleRow; at: Date },
): Promise<void> {
  const { organizationId } = actor
  const to = next(walletRoleMachine, { from: role.state, event: 'revoke' })
  const by = asActor(actor)
  await ctx.reactions.walletRoleRevoked(tx, { organizationId, walletRoleId: role.id, actor: by })
  await updateWalletRoleState(tx, { organizationId, id: role.id, from: role.state, to, at })
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
    await endWalletRole(ctx, tx, { actor, role, at: ctx.clock.now() })
    return { ...role, state: 'revoked', notices: noticesOf([role]) }
  })
}
