/** SQL of everything that authorises a payment, read in one query before it is signed. */
import sql from 'sql-template-tag'
import type { Tx } from '#platform/database/database.ts'

/** The approval of one of the payment's signatures, as its row is now. */
export type AuthorityApproval = {
  approvalId: string
  accountId: string
  approverAddress: string
  digest: string
  signature: string | null
  state: 'prepared' | 'signed' | 'consumed' | 'expired' | 'superseded' | 'invalidated'
  isCancelled: boolean
  /** False, too, where the approver is a server wallet: the service could have signed for it. */
  isRoleActive: boolean | null
  /** The policy in force names the address that signed. */
  isAllowed: boolean | null
}

export type Authority = {
  paymentId: string
  currentRevision: number
  revision: number
  purpose: string
  recipientAddress: string
  amount: bigint
  requestedMode: 'approved' | 'automatic'
  /** SHA-256 of each attachment, in their order; null when there are none. */
  attachments: string[] | null
  category: string | null
  reference: string | null
  dueDate: string | null
  versionHash: string
  isRecipientActive: boolean
  vaultAddress: string
  tokenAddress: string
  chainId: number
  isVaultUsable: boolean
  policyVersion: number
  policyExecutor: string | null
  salt: Buffer
  reportOutput: unknown
  reportMac: Buffer | null
  reportMacKeyId: string | null
  /** From the payment's row; null unless it is automatic. */
  paymentMac: Buffer | null
  paymentMacKeyId: string | null
  /** Of the payment's signatures, ascending by approver. */
  approvals: AuthorityApproval[]
  /** Of the policy in force. */
  tiers: { above: string; approvals: number }[] | null
  /** The organization's vault that has paid this id. */
  paidByVaultId: string | null
  /** Database time, because a worker's clock may be wrong. */
  readAt: string
}

export async function findAuthority(
  tx: Tx,
  { organizationId, paymentId }: { organizationId: string; paymentId: string },
): Promise<Authority | undefined> {
  const [authority] = await listAuthorities(tx, { organizationId, paymentIds: [paymentId] })
  return authority
}

const approvals = sql`(
  select coalesce(json_agg(json_build_object('approvalId', a.id, 'accountId', a.account_id,
    'approverAddress', a.approver_address, 'digest', a.digest, 'signature', a.signature,
    'state', a.state, 'isCancelled', a.cancelled_at is not null, 'isRoleActive', (
      select w.state = 'active' and not exists (
        select from wallets k where k.id = w.wallet_id and k.kind = 'server')
      from wallet_roles w where w.organization_id = a.organization_id
        and w.id = a.wallet_role_id), 'isAllowed', (
      select s.approver_address = any(standing_approvers(y.approver_addresses,
        y.revoked_approvers))
      from policies y where y.organization_id = p.organization_id and y.vault_id = p.vault_id
        and y.version = v.policy_version)) order by s.approver_address), '[]')
  from payment_signatures s
  join approvals a on a.organization_id = s.organization_id and a.id = s.approval_id
  where s.organization_id = p.organization_id and s.payment_id = p.id and s.epoch = p.epoch)`

/** Single values are subqueries: planning a join of eleven tables takes longer than running it. */
export async function listAuthorities(
  tx: Tx,
  { organizationId, paymentIds }: { organizationId: string; paymentIds: readonly string[] },
): Promise<Authority[]> {
  return tx.query<Authority>(sql`
    select p.id as "paymentId", e.current_revision as "currentRevision", r.revision, r.purpose,
      r.recipient_address as "recipientAddress", r.amount, r.requested_mode as "requestedMode",
      case when r.attachment_count > 0 then (
        select array_agg(x.sha256 order by x.position) from revision_attachments x
        where x.organization_id = r.organization_id and x.expense_id = r.expense_id
          and x.revision = r.revision) end as attachments,
      r.category, r.reference, r.due_date::text as "dueDate",
      r.version_hash as "versionHash", (
        select c.state = 'active' from recipients c where c.organization_id = p.organization_id
          and c.id = r.recipient_id) as "isRecipientActive",
      v.address as "vaultAddress", v.token_address as "tokenAddress", v.chain_id as "chainId",
      v.state = 'verified' and v.archived_at is null as "isVaultUsable",
      v.policy_version as "policyVersion", (
        select y.executor_address from policies y where y.organization_id = p.organization_id
          and y.vault_id = p.vault_id and y.version = v.policy_version) as "policyExecutor", (
        select o.salt from organizations o where o.id = p.organization_id) as salt,
      t.output as "reportOutput", t.mac as "reportMac", t.mac_key_id as "reportMacKeyId",
      p.mac as "paymentMac", p.mac_key_id as "paymentMacKeyId", ${approvals} as approvals, (
        select y.tiers from policies y where y.organization_id = p.organization_id
          and y.vault_id = p.vault_id and y.version = v.policy_version) as tiers, (
        select x.vault_id from vault_payments x where x.organization_id = p.organization_id
          and x.chain_payment_id = p.chain_payment_id limit 1) as "paidByVaultId",
      now() as "readAt"
    from payments p
    join expenses e on e.organization_id = p.organization_id and e.id = p.expense_id
    join expense_revisions r on r.organization_id = p.organization_id
      and r.expense_id = p.expense_id and r.revision = p.expense_revision
    join vaults v on v.organization_id = p.organization_id and v.id = p.vault_id
    join reports t on t.organization_id = p.organization_id and t.id = p.report_id
    where p.organization_id = ${organizationId} and p.id = any(${paymentIds}::uuid[])`)
}
