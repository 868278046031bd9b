/** SQL for approvals. */
import type { TypedData } from '@countersign/proof/typed-data.ts'
import sql, { type Sql } from 'sql-template-tag'
import type { BlockCode } from '#platform/block-codes.ts'
import type { Reader, Tx } from '#platform/database/database.ts'
import type { ApprovalState } from './approval.machine.ts'

export type ApprovalRow = {
  id: string
  organizationId: string
  expenseId: string
  expenseRevision: number
  vaultId: string
  accountId: string
  walletRoleId: string
  /** Lower case. */
  approverAddress: string
  policyVersion: number
  reportHash: string
  expenseVersionHash: string
  deadline: string
  /** Whole seconds by the database clock; negative after the deadline. */
  secondsLeft: number
  digest: string
  typedData: TypedData
  state: ApprovalState
  isCancelled: boolean
  signature: string | null
  signedAt: string | null
  invalidationTransactionHash: string | null
  createdAt: string
  updatedAt: string
}

const columns = sql`
  id, organization_id as "organizationId", expense_id as "expenseId",
  expense_revision as "expenseRevision", vault_id as "vaultId", account_id as "accountId",
  wallet_role_id as "walletRoleId", approver_address as "approverAddress",
  policy_version as "policyVersion", report_hash as "reportHash",
  expense_version_hash as "expenseVersionHash", deadline,
  floor(extract(epoch from deadline - now()))::bigint as "secondsLeft", digest,
  typed_data as "typedData", state, cancelled_at is not null as "isCancelled", signature,
  signed_at as "signedAt", invalidation_transaction_hash as "invalidationTransactionHash",
  created_at as "createdAt", updated_at as "updatedAt"`

type ApprovalKey = { organizationId: string; approvalId: string }

export function insertApproval(
  tx: Tx,
  row: Omit<
    ApprovalRow,
    | 'state'
    | 'secondsLeft'
    | 'isCancelled'
    | 'signature'
    | 'signedAt'
    | 'invalidationTransactionHash'
    | 'createdAt'
    | 'updatedAt'
  > & { at: Date },
): void {
  tx.write(sql`
    insert into approvals (id, organization_id, expense_id, expense_revision, vault_id, account_id,
      wallet_role_id, approver_address, policy_version, report_hash, expense_version_hash,
      deadline, digest, typed_data, state, created_at, updated_at)
    values (${row.id}, ${row.organizationId}, ${row.expenseId}, ${row.expenseRevision},
      ${row.vaultId}, ${row.accountId}, ${row.walletRoleId}, ${row.approverAddress},
      ${row.policyVersion}, ${row.reportHash}, ${row.expenseVersionHash}, ${row.deadline},
      ${row.digest}, ${JSON.stringify(row.typedData)}::jsonb, 'prepared', ${row.at}, ${row.at})`)
}

export async function findApproval(
  tx: Reader,
  { organizationId, approvalId }: ApprovalKey,
): Promise<ApprovalRow | undefined> {
  const [row] = await tx.query<ApprovalRow>(sql`
    select ${columns} from approvals
    where organization_id = ${organizationId} and id = ${approvalId}`)
  return row
}

export async function lockApproval(
  tx: Tx,
  { organizationId, approvalId }: ApprovalKey,
): Promise<ApprovalRow | undefined> {
  const [row] = await tx.query<ApprovalRow>(sql`
    select ${columns} from approvals
    where organization_id = ${organizationId} and id = ${approvalId} for update`)
  return row
}

export async function lockApprovals(
  tx: Tx,
  { organizationId, approvalIds }: { organizationId: string; approvalIds: readonly string[] },
): Promise<ApprovalRow[]> {
  return tx.query<ApprovalRow>(sql`
    select ${columns} from approvals
    where organization_id = ${organizationId} and id = any(${approvalIds}::uuid[])
    order by id for update`)
}

export async function findApprovalByDigest(
  tx: Tx,
  { organizationId, digest }: { organizationId: string; digest: string },
): Promise<ApprovalRow | undefined> {
  const [row] = await tx.query<ApprovalRow>(sql`
    select ${columns} from approvals
    where organization_id = ${organizationId} and digest = ${digest}`)
  return row
}

export type OpenApprovals = { organizationId: string } & (
  | { expenseId: string; accountId?: string }
  | { walletRoleId: string }
  | { recipientId: string }
)

/** Prepared or signed, oldest first. Not locked, because the expense must be locked first. */
export async function listOpenApprovals(tx: Tx, where: OpenApprovals): Promise<ApprovalRow[]> {
  const filter = () => {
    if ('walletRoleId' in where) return sql`wallet_role_id = ${where.walletRoleId}`
    if ('recipientId' in where) {
      return sql`exists (
        select from expense_revisions x where x.organization_id = approvals.organization_id
          and x.expense_id = approvals.expense_id and x.revision = approvals.expense_revision
          and x.recipient_id = ${where.recipientId})`
    }
    const byAccount = where.accountId ? sql`account_id = ${where.accountId}` : sql`true`
    return sql`expense_id = ${where.expenseId} and ${byAccount}`
  }
  return tx.query<ApprovalRow>(sql`
    select ${columns} from approvals
    where organization_id = ${where.organizationId} and state in ('prepared', 'signed')
      and ${filter()}
    order by id`)
}

export type Ending = { organizationId: string } & (
  | { walletRoleIds: readonly string[] }
  | { recipientId: string }
)

/** The expenses with open approvals or unsent payments that end with these. */
export async function listExpensesEndingWith(tx: Tx, where: Ending): Promise<string[]> {
  const { organizationId } = where
  const toRecipient = (table: Sql, states: readonly string[], recipientId: string) => sql`
    select o.expense_id as id from ${table} o
    join expense_revisions x on x.organization_id = o.organization_id
      and x.expense_id = o.expense_id and x.revision = o.expense_revision
    where o.organization_id = ${organizationId} and o.state = any(${states})
      and x.recipient_id = ${recipientId}`
  const ending =
    'recipientId' in where
      ? sql`${toRecipient(sql`approvals`, OPEN, where.recipientId)}
          union ${toRecipient(sql`payments`, UNSENT, where.recipientId)}`
      : sql`select distinct expense_id as id from approvals
          where organization_id = ${organizationId} and state = any(${OPEN})
            and wallet_role_id = any(${where.walletRoleIds}::uuid[])`
  return (await tx.query<{ id: string }>(ending)).map(({ id }) => id)
}

const OPEN = ['prepared', 'signed'] as const
const UNSENT = ['reserved', 'queued'] as const

export type VoidApproval = { id: string; code: 'approval_superseded' | 'approver_not_allowed' }

/**
 * Open approvals that the vault refuses now: for an older policy, by an approver who was revoked,
 * or to a recipient that was removed or blocked. They stay void when a recipient comes back,
 * because the vault would accept their signatures again.
 */
export const listVoidApprovals = (
  tx: Tx,
  { organizationId, vaultId }: { organizationId: string; vaultId: string },
): Promise<VoidApproval[]> =>
  tx.query<VoidApproval>(sql`
    select a.id, case when a.policy_version < v.policy_version or not r.is_listed
      then 'approval_superseded' else 'approver_not_allowed' end as code
    from approvals a
    join vaults v on v.organization_id = a.organization_id and v.id = a.vault_id
    left join policies y on y.organization_id = v.organization_id and y.vault_id = v.id
      and y.version = v.policy_version
    cross join lateral (select exists (
      select from expense_revisions x
      join vault_recipients l on l.organization_id = x.organization_id and l.vault_id = v.id
        and l.address = x.recipient_address
      where x.organization_id = a.organization_id and x.expense_id = a.expense_id
        and x.revision = a.expense_revision and l.allowed_from is not null
        and not l.blocked) as is_listed) r
    where a.organization_id = ${organizationId} and a.vault_id = ${vaultId}
      and a.state in ('prepared', 'signed')
      and (a.policy_version < v.policy_version or not r.is_listed
        or not a.approver_address = any(standing_approvers(y.approver_addresses,
          y.revoked_approvers)))
    order by a.id`)

/** Only `moveApproval` calls this. */
export async function updateApprovalState(
  tx: Tx,
  move: {
    approval: ApprovalRow
    to: ApprovalState
    signature: string | null
    endCode: BlockCode | null
    transactionHash: string | null
    at: Date
  },
): Promise<boolean> {
  const { approval } = move
  const rows = await tx.query(sql`
    update approvals set state = ${move.to}, signature = ${move.signature},
      end_code = ${move.endCode}, invalidation_transaction_hash = ${move.transactionHash},
      signed_at = case when ${move.to} = 'signed' then ${move.at}::timestamptz else signed_at end,
      updated_at = ${move.at}
    where organization_id = ${approval.organizationId} and id = ${approval.id}
      and state = ${approval.state}
    returning id`)
  return rows.length > 0
}

export function markCancelled(
  tx: Tx,
  { organizationId, approvalId, at }: ApprovalKey & { at: Date },
): void {
  tx.write(sql`
    update approvals set cancelled_at = ${at}, updated_at = ${at}
    where organization_id = ${organizationId} and id = ${approvalId} and cancelled_at is null`)
}

export type ApproverWallet = {
  walletRoleId: string
  address: string
  /**
   * A server wallet with a role from an earlier version. Never used: the service could sign for it.
   */
  isServer: boolean
}

/** The caller's approver wallets, newest role first. */
export async function listApproverWallets(
  tx: Tx,
  { organizationId, membershipId }: { organizationId: string; membershipId: string },
): Promise<ApproverWallet[]> {
  return tx.query<ApproverWallet>(sql`
    select r.id as "walletRoleId", w.address, w.kind = 'server' as "isServer"
    from wallet_roles r
    join wallets w on w.id = r.wallet_id
    where r.organization_id = ${organizationId} and r.membership_id = ${membershipId}
      and r.role = 'approver' and r.state = 'active' and w.address is not null
    order by r.id desc`)
}

const APPROVERS_MAX = 50

/** The accounts whose approver wallets the policy lists. */
export async function listApproverIds(
  tx: Tx,
  where: { organizationId: string; addresses: readonly string[] },
): Promise<string[]> {
  const rows = await tx.query<{ accountId: string }>(sql`
    select distinct m.account_id as "accountId" from wallet_roles r
    join memberships m on m.organization_id = r.organization_id and m.id = r.membership_id
    join accounts a on a.id = m.account_id
    join wallets w on w.id = r.wallet_id
    where r.organization_id = ${where.organizationId}
      and r.role = 'approver' and r.state = 'active' and m.state = 'active'
      and a.status = 'active' and w.kind <> 'server' and w.address = any(${where.addresses})
    order by 1 limit ${APPROVERS_MAX}`)
  return rows.map(({ accountId }) => accountId)
}
