/** SQL for members who await an owner's confirmation. */
import sql from 'sql-template-tag'
import type { Reader, Tx } from '#platform/database/database.ts'
import type { Page } from '#platform/paging.ts'
import type { InvitedRole } from './invitations.store.ts'
import type { MembershipRow } from './members.store.ts'

export type PendingMember = {
  membershipId: string
  accountId: string
  role: InvitedRole
  displayName: string | null
  createdAt: string
}

/** Newest first. */
export const listPendingMembers = (
  tx: Reader,
  { organizationId, page }: { organizationId: string; page: Page },
): Promise<PendingMember[]> =>
  tx.query<PendingMember>(sql`
    select m.id as "membershipId", m.account_id as "accountId", m.role,
      p.display_name as "displayName", m.created_at as "createdAt"
    from memberships m left join profiles p on p.account_id = m.account_id
    where m.organization_id = ${organizationId} and m.state = 'pending' and m.id < ${page.beforeId}
    order by m.id desc limit ${page.limit + 1}`)

export async function lockMembershipToConfirm(
  tx: Tx,
  { organizationId, membershipId }: { organizationId: string; membershipId: string },
): Promise<MembershipRow | undefined> {
  const [row] = await tx.query<MembershipRow>(sql`
    select id, account_id as "accountId", role, state from memberships
    where organization_id = ${organizationId} and id = ${membershipId} for update`)
  return row
}

export type PendingMembership = {
  id: string
  organizationId: string
  organizationName: string
  role: InvitedRole
}

/** The newest pending memberships of an account, newest first. */
export const listPendingMemberships = (
  tx: Reader,
  { accountId, limit }: { accountId: string; limit: number },
): Promise<PendingMembership[]> =>
  tx.query<PendingMembership>(sql`
    select m.id, m.organization_id as "organizationId", o.name as "organizationName", m.role
    from memberships m join organizations o on o.id = m.organization_id
    where m.account_id = ${accountId} and m.state = 'pending'
    order by m.id desc limit ${limit}`)
