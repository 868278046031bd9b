/** SQL for invitations. The token itself is never stored, only its salt and its SHA-256 hash. */
import sql from 'sql-template-tag'
import type { Role } from '#access/permissions.ts'
import type { Reader, Tx } from '#platform/database/database.ts'
import type { Page } from '#platform/paging.ts'
import type { InvitationState } from './invitation.machine.ts'

export type InvitedRole = 'manager' | 'employee'

export type Invitation = {
  id: string
  organizationId: string
  role: InvitedRole
  status: InvitationState
  expiresAt: string
  createdAt: string
  invitedByAccountId: string
  invitedByDisplayName: string | null
  acceptedByAccountId: string | null
  acceptedByDisplayName: string | null
  /** Only in lists for owners, and for the member who invited. */
  email?: string | null
}

export type NewInvitation = {
  id: string
  organizationId: string
  role: InvitedRole
  tokenSalt: Buffer
  tokenHash: Buffer
  invitedByMembershipId: string
  /** In lower case. */
  email: string | null
  at: Date
  expiresAt: Date
}

export function insertInvitation(tx: Tx, row: NewInvitation): void {
  tx.write(sql`
    insert into invitations (id, organization_id, role, state, token_salt, token_hash,
      invited_by_membership_id, email, created_at, expires_at)
    values (${row.id}, ${row.organizationId}, ${row.role}, 'open', ${row.tokenSalt},
      ${row.tokenHash}, ${row.invitedByMembershipId}, ${row.email}, ${row.at}, ${row.expiresAt})`)
}

/**
 * Counts under a lock held until commit, so that concurrent invitations cannot exceed the limit.
 */
export async function lockOpenInvitations(
  tx: Tx,
  { organizationId, at }: { organizationId: string; at: Date },
): Promise<number> {
  tx.write(sql`select pg_advisory_xact_lock(hashtextextended(${organizationId}, 0))`)
  const [row] = await tx.query<{ open: number }>(sql`
    select count(*) as open from invitations
    where organization_id = ${organizationId} and state = 'open' and expires_at > ${at}`)
  return row?.open ?? 0
}

/** Invitations that name an address, in any state, oldest first. */
export const listEmailedSince = (
  tx: Tx,
  { organizationId, since }: { organizationId: string; since: Date },
): Promise<{ email: string; createdAt: string }[]> =>
  tx.query<{ email: string; createdAt: string }>(sql`
    select email, created_at as "createdAt" from invitations
    where organization_id = ${organizationId} and email is not null and created_at > ${since}
    order by created_at`)

/** An open invitation past its expiry reads as expired even before the job has closed it. */
export async function listInvitations(
  tx: Reader,
  { organizationId, page, at }: { organizationId: string; page: Page; at: Date },
): Promise<Invitation[]> {
  return tx.query<Invitation>(sql`
    select i.id, i.organization_id as "organizationId", i.role, i.expires_at as "expiresAt",
      case when i.state = 'open' and i.expires_at <= ${at} then 'expired' else i.state end
        as status,
      i.created_at as "createdAt", i.email,
      b.account_id as "invitedByAccountId", bp.display_name as "invitedByDisplayName",
      a.account_id as "acceptedByAccountId", ap.display_name as "acceptedByDisplayName"
    from invitations i
    join memberships b on b.organization_id = i.organization_id
      and b.id = i.invited_by_membership_id
    left join profiles bp on bp.account_id = b.account_id
    left join memberships a on a.organization_id = i.organization_id
      and a.id = i.accepted_by_membership_id
    left join profiles ap on ap.account_id = a.account_id
    where i.organization_id = ${organizationId} and i.id < ${page.beforeId}
    order by i.id desc limit ${page.limit + 1}`)
}

export type InvitationRow = {
  id: string
  organizationId: string
  role: InvitedRole
  state: InvitationState
  expiresAt: string
  /** Only an account with this verified address may accept it; in lower case. */
  email: string | null
}

/** Finds the organization of a token. Needs only the scope of the token's hash. */
export async function findInvitedOrganization(
  tx: Tx,
  tokenHash: Buffer,
): Promise<string | undefined> {
  const [row] = await tx.query<{ organizationId: string }>(sql`
    select organization_id as "organizationId" from invitations where token_hash = ${tokenHash}`)
  return row?.organizationId
}

/** Undefined when the inviter is no longer an active member: the inviter knows the token. */
export async function findInviterRole(
  tx: Tx,
  { organizationId, id }: { organizationId: string; id: string },
): Promise<Role | undefined> {
  const [inviter] = await tx.query<{ role: Role }>(sql`
    select m.role from invitations i
    join memberships m on m.organization_id = i.organization_id
      and m.id = i.invited_by_membership_id
    join accounts a on a.id = m.account_id
    where i.organization_id = ${organizationId} and i.id = ${id}
      and m.state = 'active' and a.status = 'active'`)
  return inviter?.role
}

export async function findTokenSalt(
  tx: Reader,
  { organizationId, id }: { organizationId: string; id: string },
): Promise<{ salt: Buffer; hash: Buffer } | undefined> {
  const [row] = await tx.query<{ salt: Buffer; hash: Buffer }>(sql`
    select token_salt as salt, token_hash as hash from invitations
    where organization_id = ${organizationId} and id = ${id}`)
  return row
}

export async function lockInvitation(
  tx: Tx,
  where: { organizationId: string } & ({ id: string } | { tokenHash: Buffer }),
): Promise<InvitationRow | undefined> {
  const filter = 'id' in where ? sql`id = ${where.id}` : sql`token_hash = ${where.tokenHash}`
  const [row] = await tx.query<InvitationRow>(sql`
    select id, organization_id as "organizationId", role, state, expires_at as "expiresAt", email
    from invitations where organization_id = ${where.organizationId} and ${filter} for update`)
  return row
}

export async function lockOpenInvitationsBy(
  tx: Tx,
  { organizationId, membershipId }: { organizationId: string; membershipId: string },
): Promise<InvitationRow[]> {
  return tx.query<InvitationRow>(sql`
    select id, organization_id as "organizationId", role, state, expires_at as "expiresAt", email
    from invitations
    where organization_id = ${organizationId} and invited_by_membership_id = ${membershipId}
      and state = 'open' order by id for update`)
}

export function updateInvitationState(
  tx: Tx,
  move: {
    organizationId: string
    id: string
    from: InvitationState
    to: InvitationState
    acceptedByMembershipId: string | null
    at: Date
  },
): void {
  tx.write(sql`
    update invitations set state = ${move.to}, ended_at = ${move.at},
      accepted_by_membership_id = ${move.acceptedByMembershipId}
    where organization_id = ${move.organizationId} and id = ${move.id} and state = ${move.from}`)
}
