/** Reads what a push message was about, for a recipient who may still see it. */
import type { Context } from '#context.ts'
import { findActiveMembership } from '#organizations/members.store.ts'
import { AppError } from '#platform/errors.ts'
import { type Category, categoryOf, isWalletCategory, maySee, routeOf } from './notification.ts'
import { findAnyEvent } from './push-events.store.ts'

export type Notification = { category: Category; route: string }

export async function readNotification(
  ctx: Pick<Context, 'db' | 'observerDb'>,
  { accountId, eventId }: { accountId: string; eventId: string },
): Promise<Notification> {
  const event = await findAnyEvent(ctx.observerDb, eventId)
  if (!event) throw new AppError('not_found')
  const category = categoryOf(event)
  if (category && isWalletCategory(category) && event.accountId === accountId) {
    return { category, route: routeOf(event) }
  }
  const { organizationId } = event
  // Other events without an organization are for operators only.
  if (!organizationId) throw new AppError('not_found')
  const membership = await ctx.db.read({ organizationId, accountId }, (reader) =>
    findActiveMembership(reader, { organizationId, accountId, walletRole: 'approver' }),
  )
  if (!membership) throw new AppError('forbidden')
  const { membershipId, role, holdsWalletRole: isApprover } = membership
  const viewer = { accountId, membershipId, role, isApprover }
  if (!category || !maySee(category, { event, viewer })) {
    throw new AppError('not_found')
  }
  return { category, route: routeOf(event) }
}
