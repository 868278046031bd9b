/** SQL for organizations, memberships and wallet roles. */
import { checksummed, ZERO_ADDRESS } from '@countersign/proof/values.ts'
import sql, { empty } from 'sql-template-tag'
import type { Member, Role, WalletRole } from '#access/permissions.ts'
import { isUniqueViolation, type Reader, type Tx } from '#platform/database/database.ts'
import { AppError } from '#platform/errors.ts'
import type { Page } from '#platform/paging.ts'
import type { MembershipState, WalletRoleState } from './membership.machine.ts'

export type OrganizationSummary = { id: string; name: string; role: Role }
export type AccountMembership = {
  id: string
  organizationId: string
  organizationName: string
  role: Role
  status: 'active' | 'revoked'
}

export function insertOrganization(
  tx: Tx,
  row: { id: string; name: string; createdByAccountId: string; at: Date },
): void {
  tx.write(sql`
    insert into organizations (id, name, created_by_account_id, created_at)
    values (${row.id}, ${row.name}, ${row.createdByAccountId}, ${row.at})`)
}

export async function insertMembership(
  tx: Tx,
  row: {
    id: string
    organizationId: string
    accountId: string
    role: Role
    state: 'active' | 'pending'
    at: Date
  },
): Promise<'inserted' | 'already_member'> {
  const inserted = await tx.query(sql`
    insert into memberships (id, organization_id, account_id, role, state, created_at)
    values (${row.id}, ${row.organizationId}, ${row.accountId}, ${row.role}, ${row.state},
      ${row.at})
    on conflict do nothing returning id`)
  return inserted.length > 0 ? 'inserted' : 'already_member'
}

/**
 * Newest first, one more than the page holds, including revoked memberships, which the account may
 * still see.
 */
export async function listAccountMemberships(
  tx: Reader,
  {
    accountId,
    organizationId,
    page,
  }: { accountId: string; organizationId?: string | undefined; page: Page },
): Promise<AccountMembership[]> {
  const only = organizationId === undefined ? empty : sql`and m.organization_id = ${organizationId}`
  return tx.query<AccountMembership>(sql`
    select m.id, m.organization_id as "organizationId", o.name as "organizationName", m.role,
      m.state as status
    from memberships m cross join lateral (
      select name from organizations where id = m.organization_id limit 1) o
    where m.account_id = ${accountId} and m.state <> 'pending' and m.id < ${page.beforeId} ${only}
    order by m.id desc limit ${page.limit + 1}`)
}

export type OrganizationRow = OrganizationSummary & { membershipId: string }

export async function listAccountOrganizations(
  tx: Reader,
  { accountId, page }: { accountId: string; page: Page },
): Promise<OrganizationRow[]> {
  return tx.query<OrganizationRow>(sql`
    select m.organization_id as id, o.name, m.role, m.id as "membershipId"
    from memberships m cross join lateral (
      select name from organizations where id = m.organization_id limit 1) o
    where m.account_id = ${accountId} and m.state = 'active' and m.id < ${page.beforeId}
    order by m.id desc limit ${page.limit + 1}`)
}

/** The former name. */
export async function updateOrganizationName(
  tx: Tx,
  { organizationId, name }: { organizationId: string; name: string },
): Promise<string> {
  const [former] = await tx.query<{ name: string }>(sql`
    select name from organizations where id = ${organizationId} for update`)
  if (!former) throw new AppError('forbidden')
  tx.write(sql`update organizations set name = ${name} where id = ${organizationId}`)
  return former.name
}

export async function findOrganizationName(tx: Reader, organizationId: string): Promise<string> {
  const [row] = await tx.query<{ name: string }>(sql`
    select name from organizations where id = ${organizationId}`)
  if (!row) throw new AppError('forbidden')
  return row.name
}

type MemberKey = { organizationId: string; accountId: string }

/** With the observer's login, which sees every organization. */
export async function findOrganizationExists(tx: Reader, organizationId: string): Promise<boolean> {
  const rows = await tx.query(sql`
    select 1 as found from organizations where id = ${organizationId}`)
  return rows.length > 0
}

/** The account's active membership, and whether it holds the given wallet role. */
export async function findActiveMembership(
  tx: Reader,
  { organizationId, accountId, walletRole }: MemberKey & { walletRole: WalletRole | undefined },
): Promise<{ membershipId: string; role: Role; holdsWalletRole: boolean } | undefined> {
  const [row] = await tx.query<{ membershipId: string; role: Role; holdsWalletRole: boolean }>(sql`
    select m.id as "membershipId", m.role, exists (
      select from wallet_roles r
      where r.organization_id = m.organization_id and r.membership_id = m.id
        and r.role = ${walletRole ?? null} and r.state = 'active'
    ) as "holdsWalletRole"
    from memberships m
    where m.organization_id = ${organizationId} and m.account_id = ${accountId}
      and m.state = 'active'`)
  return row
}

/**
 * Every command takes this lock first: the caller is still a member with this role and stays one
 * until the command commits, because a revocation waits for the lock.
 */
export async function lockActor(tx: Tx, actor: Member): Promise<void> {
  const rows = await tx.query(sql`
    select id from memberships
    where organization_id = ${actor.organizationId} and id = ${actor.membershipId}
      and role = ${actor.role} and state = 'active' for share`)
  if (rows.length === 0) throw new AppError('forbidden')
}

export type MembershipRow = {
  id: string
  accountId: string
  role: Role
  state: MembershipState
}

/**
 * Locks the target and all owners in id order, so that the last owner cannot be removed. An owner
 * whose account is disabled could not manage the organization, and is none of `owners`.
 */
export async function lockMembershipWithOwners(
  tx: Tx,
  { organizationId, membershipId }: { organizationId: string; membershipId: string },
): Promise<{ membership: MembershipRow | undefined; owners: MembershipRow[] }> {
  const rows = await tx.query<MembershipRow & { isEnabled: boolean }>(sql`
    select m.id, m.account_id as "accountId", m.role, m.state, a.status = 'active' as "isEnabled"
    from memberships m join accounts a on a.id = m.account_id
    where m.organization_id = ${organizationId}
      and (m.id = ${membershipId} or (m.role = 'owner' and m.state = 'active'))
    order by m.id for update of m`)
  const owners = rows.filter(
    ({ role, state, isEnabled }) => role === 'owner' && state === 'active' && isEnabled,
  )
  return { membership: rows.find(({ id }) => id === membershipId), owners }
}

export async function lockMembership(
  tx: Tx,
  { organizationId, membershipId }: { organizationId: string; membershipId: string },
): Promise<MembershipRow | undefined> {
  const [row] = await tx.query<MembershipRow>(sql`
    select id, account_id as "accountId", role, state from memberships
    where organization_id = ${organizationId} and id = ${membershipId} for share`)
  return row
}

type Move<State> = { organizationId: string; id: string; from: State; to: State; at: Date }

export function updateMembershipState(tx: Tx, move: Move<MembershipState>): void {
  tx.write(sql`
    update memberships set state = ${move.to},
      revoked_at = case when ${move.to} = 'revoked' then ${move.at}::timestamptz end
    where organization_id = ${move.organizationId} and id = ${move.id} and state = ${move.from}`)
}

/** Only `changeRole` calls this. */
export function updateMembershipRole(
  tx: Tx,
  change: { organizationId: string; id: string; from: Role; to: Role },
): void {
  tx.write(sql`
    update memberships set role = ${change.to}
    where organization_id = ${change.organizationId} and id = ${change.id}
      and role = ${change.from} and state = 'active'`)
}

export type MemberRecord = {
  membershipId: string
  accountId: string
  role: Role
  status: 'active' | 'revoked'
  displayName: string | null
  /** Present in lists for owners only. */
  email?: string | null
  wallets: { id: string; address: string; kind: 'embedded' | 'external' | 'server' }[]
  walletRoles: { id: string; walletId: string; role: WalletRole; active: boolean }[]
}

type RawMember = Omit<MemberRecord, 'wallets'> & {
  wallets: { id: string; address: string | null; kind: 'embedded' | 'external' | 'server' }[]
}

const toMember = (row: RawMember): MemberRecord => ({
  ...row,
  wallets: row.wallets.map((wallet) => ({
    ...wallet,
    address: wallet.address === null ? ZERO_ADDRESS : checksummed(wallet.address),
  })),
})

const memberColumns = sql`
  m.id as "membershipId", m.account_id as "accountId", m.role, m.state as status,
  p.display_name as "displayName",
  coalesce((
    select json_agg(json_build_object('id', w.id, 'address', w.address, 'kind', w.kind)
                    order by w.id)
    from wallets w
    where w.account_id = m.account_id and w.state in ('active', 'disabled')
      and (w.for_organization_id is null or w.for_organization_id = m.organization_id)
      and (m.revoked_at is null or w.created_at <= m.revoked_at)), '[]') as wallets,
  coalesce((
    select json_agg(json_build_object('id', r.id, 'walletId', r.wallet_id, 'role', r.role,
                                      'active', r.state = 'active') order by r.id)
    from wallet_roles r
    where r.organization_id = m.organization_id and r.membership_id = m.id), '[]')
    as "walletRoles"`

const membersWithProfiles = sql`
  memberships m left join profiles p on p.account_id = m.account_id`

/** `showsEmail`: for owners only. The observer may not read addresses at all. */
export async function listMembers(
  tx: Reader,
  {
    organizationId,
    page,
    showsEmail = false,
  }: { organizationId: string; page: Page; showsEmail?: boolean },
): Promise<MemberRecord[]> {
  // A former member's newest address is no concern of the organization.
  const email = showsEmail ? sql`, case when m.state = 'active' then p.email end as email` : empty
  const rows = await tx.query<RawMember>(sql`
    select ${memberColumns} ${email} from ${membersWithProfiles}
    where m.organization_id = ${organizationId} and m.state <> 'pending'
      and m.id < ${page.beforeId}
    order by m.id desc limit ${page.limit + 1}`)
  return rows.map(toMember)
}

export async function findMember(
  tx: Tx,
  { organizationId, membershipId }: { organizationId: string; membershipId: string },
): Promise<MemberRecord> {
  const [row] = await tx.query<RawMember>(sql`
    select ${memberColumns} from ${membersWithProfiles}
    where m.organization_id = ${organizationId} and m.id = ${membershipId}`)
  if (!row) throw new AppError('not_found')
  return toMember(row)
}

export type WalletRoleRow = {
  id: string
  membershipId: string
  walletId: string
  role: WalletRole
  state: WalletRoleState
  address: string | null
}

export async function insertWalletRole(
  tx: Tx,
  row: {
    id: string
    organizationId: string
    membershipId: string
    accountId: string
    walletId: string
    role: WalletRole
    at: Date
  },
): Promise<void> {
  await tx
    .query(sql`
      insert into wallet_roles (id, organization_id, membership_id, account_id, wallet_id, role,
        state, created_at)
      values (${row.id}, ${row.organizationId}, ${row.membershipId}, ${row.accountId},
        ${row.walletId}, ${row.role}, 'active', ${row.at})`)
    .catch((error) => {
      if (!isUniqueViolation(error, 'wallet_roles_active')) throw error
      throw new AppError('duplicate', { message: 'This wallet already has that role.' })
    })
}

/** One role, or all active ones of a member. */
export async function lockWalletRoles(
  tx: Tx,
  where: { organizationId: string } & ({ id: string } | { membershipId: string }),
): Promise<WalletRoleRow[]> {
  const filter =
    'id' in where
      ? sql`r.id = ${where.id}`
      : sql`r.membership_id = ${where.membershipId} and r.state = 'active'`
  return tx.query<WalletRoleRow>(sql`
    select r.id, r.membership_id as "membershipId", r.wallet_id as "walletId", r.role, r.state,
      w.address
    from wallet_roles r join wallets w on w.id = r.wallet_id
    where r.organization_id = ${where.organizationId} and ${filter}
    order by r.id for update of r`)
}

export function updateWalletRoleState(tx: Tx, move: Move<WalletRoleState>): void {
  tx.write(sql`
    update wallet_roles set state = ${move.to}, revoked_at = ${move.at}
    where organization_id = ${move.organizationId} and id = ${move.id} and state = ${move.from}`)
}

export async function findOrganizationSalt(tx: Reader, organizationId: string): Promise<Buffer> {
  const [row] = await tx.query<{ salt: Buffer }>(sql`
    select salt from organizations where id = ${organizationId}`)
  if (!row) throw new AppError('forbidden')
  return row.salt
}

/**
 * The address of the member's newest wallet with the role, in lower case. Excludes server wallets,
 * which hold the role for deposits only and own no vault.
 */
export async function findWalletWithRole(
  tx: Tx,
  where: { organizationId: string; membershipId: string; role: WalletRole },
): Promise<string | undefined> {
  const [row] = await tx.query<{ address: string }>(sql`
    select w.address from wallet_roles r join wallets w on w.id = r.wallet_id
    where r.organization_id = ${where.organizationId} and r.membership_id = ${where.membershipId}
      and r.role = ${where.role} and r.state = 'active' and w.kind <> 'server'
    order by r.id desc limit 1`)
  return row?.address
}

/** Distinct addresses in the whole organization, sorted, in lower case. */
export async function listWalletAddressesWithRole(
  tx: Reader,
  { organizationId, role }: { organizationId: string; role: WalletRole },
): Promise<string[]> {
  const rows = await tx.query<{ address: string }>(sql`
    select distinct w.address from wallet_roles r join wallets w on w.id = r.wallet_id
    where r.organization_id = ${organizationId} and r.role = ${role} and r.state = 'active'
    order by 1`)
  return rows.map(({ address }) => address)
}

/** How many people hold the role with a wallet whose key the service does not have. */
export async function findRoleHolders(
  tx: Tx,
  { organizationId, role }: { organizationId: string; role: WalletRole },
): Promise<number> {
  const [row] = await tx.query<{ count: number }>(sql`
    select count(distinct m.account_id) as count from wallet_roles r
    join memberships m on m.organization_id = r.organization_id and m.id = r.membership_id
    join accounts a on a.id = m.account_id
    join wallets w on w.id = r.wallet_id
    where r.organization_id = ${organizationId} and r.role = ${role} and r.state = 'active'
      and m.state = 'active' and a.status = 'active' and w.kind <> 'server'`)
  return row?.count ?? 0
}
