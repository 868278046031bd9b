/** Confirms a pending member whom a manager invited. Declining is `revokeMember`. */
import type { Member } from '#access/permissions.ts'
import type { Context } from '#context.ts'
import { recordChange } from '#journal/journal.ts'
import { AppError } from '#platform/errors.ts'
import { next } from '#platform/machine.ts'
import { asActor, asMember } from './actor.ts'
import { lockMembershipToConfirm } from './joining.store.ts'
import { findMember, type MemberRecord, updateMembershipState } from './members.store.ts'
import { membershipMachine } from './membership.machine.ts'
import { organizationChange } from './organization-change.ts'

export async function confirmMember(
  ctx: Pick<Context, 'db' | 'clock' | 'ids'>,
  { actor, membershipId }: { actor: Member; membershipId: string },
): Promise<MemberRecord> {
  const { organizationId } = actor
  return asMember(ctx, actor, async (tx) => {
    const membership = await lockMembershipToConfirm(tx, { organizationId, membershipId })
    if (!membership) throw new AppError('not_found')
    const { id, accountId, role, state: from } = membership
    if (from !== 'pending') {
      throw new AppError('state_conflict', {
        message: `This membership is ${from}. Only a pending membership can be confirmed.`,
      })
    }
    const to = next(membershipMachine, { from, event: 'confirm' })
    updateMembershipState(tx, { organizationId, id, from, to, at: ctx.clock.now() })
    await recordChange(ctx, tx, {
      organizationId,
      actor: asActor(actor),
      action: 'membership.confirmed',
      aggregateType: 'membership',
      aggregateId: id,
      data: { accountId, role },
      live: organizationChange('member_joined', to),
    })
    return findMember(tx, { organizationId, membershipId: id })
  })
}
