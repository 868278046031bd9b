import type { Member } from '#access/permissions.ts'
import type { Context } from '#context.ts'
import { recordChange } from '#journal/journal.ts'
import { AppError } from '#platform/errors.ts'
import { isVisible } from '#platform/values.ts'
import { asActor, asMember } from './actor.ts'
import { type OrganizationSummary, updateOrganizationName } from './members.store.ts'
import { organizationChange } from './organization-change.ts'

export async function renameOrganization(
  ctx: Pick<Context, 'db' | 'clock' | 'ids'>,
  { actor, name }: { actor: Member; name: string },
): Promise<OrganizationSummary> {
  const { organizationId, role } = actor
  if (!isVisible(name)) {
    throw new AppError('validation_failed', { message: '`name` must have a visible character.' })
  }
  return asMember(ctx, actor, async (tx) => {
    const from = await updateOrganizationName(tx, { organizationId, name })
    await recordChange(ctx, tx, {
      organizationId,
      actor: asActor(actor),
      action: 'organization.renamed',
      aggregateType: 'organization',
      aggregateId: organizationId,
      data: { name, from },
      live: organizationChange('organization_renamed', null),
    })
    return { id: organizationId, name, role }
  })
}
