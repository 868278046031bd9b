/** SQL for the guard: the caller's account, operator state and membership in one query. */
import sql, { type Sql } from 'sql-template-tag'
import type { Identity, OperatorAccount } from '#identity/accounts.store.ts'
import type { Reader } from '#platform/database/database.ts'
import type { Role, WalletRole } from './permissions.ts'

export type CallerAccess = {
  account: OperatorAccount
  /** Undefined when the caller is not an active member. */
  membership: { membershipId: string; role: Role; holdsWalletRole: boolean } | undefined
}

type PlaceRow = OperatorAccount & {
  membershipId: string | null
  role: Role | null
  holdsWalletRole: boolean
}

const holdsRole = (walletRole: WalletRole): Sql => sql`exists (
  select from wallet_roles r
  where r.organization_id = m.organization_id and r.membership_id = m.id
    and r.role = ${walletRole} and r.state = 'active')`

/** Runs for every request to an organization. Few routes ask for a wallet role. */
export async function findCallerAccess(
  reader: Reader,
  {
    organizationId,
    walletRole,
    caller: { realm, issuer, subject },
  }: { organizationId: string; walletRole: WalletRole | undefined; caller: Identity },
): Promise<CallerAccess | undefined> {
  const [row] = await reader.query<PlaceRow>(sql`
    select a.id, a.subject, a.status, o.status as operator, m.id as "membershipId", m.role,
      ${walletRole ? holdsRole(walletRole) : sql`false`} as "holdsWalletRole"
    from accounts a left join operators o on o.account_id = a.id
    left join memberships m on m.organization_id = ${organizationId} and m.account_id = a.id
      and m.state = 'active'
    where a.realm = ${realm} and a.issuer = ${issuer} and a.subject = ${subject}`)
  if (!row) return undefined
  const { membershipId, role, holdsWalletRole, ...account } = row
  const isMember = membershipId !== null && role !== null
  return { account, membership: isMember ? { membershipId, role, holdsWalletRole } : undefined }
}
