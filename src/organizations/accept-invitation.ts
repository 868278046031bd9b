/** Accepts an invitation: the caller becomes a member, pending if an owner must confirm it. */
import type { Context } from '#context.ts'
import { findVerifiedEmail } from '#identity/profiles.store.ts'
import type { Actor } from '#journal/actor.ts'
import { recordChange } from '#journal/journal.ts'
import { sha256 } from '#platform/digest.ts'
import { AppError } from '#platform/errors.ts'
import {
  findInvitedOrganization,
  findInviterRole,
  type InvitedRole,
  lockInvitation,
} from './invitations.store.ts'
import { isExpired, moveInvitation } from './invitations.ts'
import { findOrganizationName, insertMembership } from './members.store.ts'
import { organizationChange } from './organization-change.ts'

export type AcceptInvitation = { accountId: string; requestId: string; token: string }
export type AcceptedInvitation = {
  organizationId: string
  organizationName: string
  role: InvitedRole
  /** Set when an owner must confirm the member first. */
  status?: 'pending'
}

/** Every unusable token gets the same answer, so that a caller cannot learn why. */
export async function acceptInvitation(
  ctx: Pick<Context, 'db' | 'clock' | 'ids' | 'config'>,
  { accountId, requestId, token }: AcceptInvitation,
): Promise<AcceptedInvitation> {
  const tokenHash = sha256(token)
  const scope = { accountId, invitationTokenHash: tokenHash.toString('hex') }
  const organizationId = await ctx.db.transaction(scope, (tx) =>
    findInvitedOrganization(tx, tokenHash),
  )
  if (organizationId === undefined) throw new AppError('invitation_unusable')

  return ctx.db.transaction({ ...scope, organizationId }, async (tx) => {
    const invitation = await lockInvitation(tx, { organizationId, tokenHash })
    if (invitation?.state !== 'open' || isExpired(ctx, invitation)) {
      throw new AppError('invitation_unusable')
    }
    const inviterRole = await findInviterRole(tx, invitation)
    if (inviterRole === undefined) throw new AppError('invitation_unusable')
    const { email } = invitation
    if (email !== null && email !== (await findVerifiedEmail(tx, accountId))) {
      throw new AppError('invitation_unusable')
    }
    // An invitation by an owner needs no confirmation.
    const isPending =
      ctx.config.limits.organizationJoin === 'owner_confirms' && inviterRole !== 'owner'
    const state = isPending ? 'pending' : 'active'
    const { role } = invitation
    const membershipId = ctx.ids.next()
    const at = ctx.clock.now()
    const membership = { id: membershipId, organizationId, accountId, role, state, at } as const
    if ((await insertMembership(tx, membership)) === 'already_member') {
      throw new AppError('invitation_unusable')
    }
    const actor: Actor = { realm: 'consumer', accountId, requestId }
    await moveInvitation(ctx, tx, {
      invitation,
      event: 'accept',
      actor,
      acceptedByMembershipId: membershipId,
    })
    await recordChange(ctx, tx, {
      organizationId,
      actor,
      action: 'membership.created',
      aggregateType: 'membership',
      aggregateId: membershipId,
      data: { accountId, role, invitationId: invitation.id, ...(isPending && { state }) },
      live: organizationChange(isPending ? 'membership_pending' : 'member_joined', state),
    })
    return {
      organizationId,
      organizationName: await findOrganizationName(tx, organizationId),
      role,
      ...(isPending && { status: 'pending' as const }),
    }
  })
}
