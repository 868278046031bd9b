import type { Context } from '#context.ts'
import type { Actor } from '#journal/actor.ts'
import { recordChange } from '#journal/journal.ts'
import { AppError } from '#platform/errors.ts'
import { isVisible } from '#platform/values.ts'
import { insertMembership, insertOrganization, type OrganizationSummary } from './members.store.ts'
import { countCreatedOrganizations } from './quotas.store.ts'

export type CreateOrganization = { accountId: string; requestId: string; name: string }

/** Creates an organization with its creator as the first owner. */
export async function createOrganization(
  ctx: Pick<Context, 'db' | 'clock' | 'ids' | 'config'>,
  { accountId, requestId, name }: CreateOrganization,
): Promise<OrganizationSummary> {
  if (!isVisible(name)) {
    throw new AppError('validation_failed', { message: '`name` must have a visible character.' })
  }
  const organizationId = ctx.ids.next()
  const actor: Actor = { realm: 'consumer', accountId, requestId }
  return ctx.db.transaction({ organizationId, accountId }, async (tx) => {
    const { organizationsPerAccount: max } = ctx.config.limits.quotas
    if ((await countCreatedOrganizations(tx, accountId)) >= max) {
      throw new AppError('state_conflict', {
        message: `An account may create at most ${max} organizations. Use an existing one.`,
      })
    }
    const at = ctx.clock.now()
    const membershipId = ctx.ids.next()
    insertOrganization(tx, { id: organizationId, name, createdByAccountId: accountId, at })
    const owner = { role: 'owner', state: 'active', at } as const
    await insertMembership(tx, { id: membershipId, organizationId, accountId, ...owner })
    await recordChange(ctx, tx, {
      organizationId,
      actor,
      action: 'organization.created',
      aggregateType: 'organization',
      aggregateId: organizationId,
      data: { name },
    })
    await recordChange(ctx, tx, {
      organizationId,
      actor,
      action: 'membership.created',
      aggregateType: 'membership',
      aggregateId: membershipId,
      data: { accountId, role: 'owner' },
    })
    return { id: organizationId, name, role: 'owner' }
  })
}
