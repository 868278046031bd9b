/** SQL of the rows behind an evidence bundle. */
import type {
  EvidenceAttachment,
  EvidencePolicy,
  EvidenceRecipient,
} from '@countersign/proof/evidence.ts'
import type { TypedData } from '@countersign/proof/typed-data.ts'
import sql, { type Sql } from 'sql-template-tag'
import type { Tx } from '#platform/database/database.ts'

export type EvidenceRow = {
  revision: number
  purpose: string
  requestedMode: 'approved' | 'automatic'
  attachments: EvidenceAttachment[] | null
  category: string | null
  reference: string | null
  dueDate: string | null
  versionHash: string
  vaultAddress: string
  chainId: number
  reportOutput: unknown
  salt: Buffer
  policy: EvidencePolicy | null
  recipient: EvidenceRecipient | null
  /** By the ids of the payment's approvals. */
  typedData: Record<string, TypedData>
}

const asTimestamp = (column: Sql): Sql => sql`to_char(${column}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

const typedData = sql`(
  select coalesce(json_object_agg(a.id, a.typed_data), '{}')
  from payment_signatures s
  join approvals a on a.organization_id = s.organization_id and a.id = s.approval_id
  where s.organization_id = p.organization_id and s.payment_id = p.id and s.epoch = p.epoch)`

/** The policy's proposal; null if it did not wait. The same one may be proposed repeatedly. */
const proposal = sql`(
  select json_build_object('id', w.proposal_id, 'transactionHash', w.transaction_hash,
    'activatesAt', ${asTimestamp(sql`w.activates_at`)})
  from vault_proposals w
  where w.organization_id = y.organization_id and w.vault_id = y.vault_id
    and w.state = 'activated' and w.expected_version = y.version - 1
    and w.ended_transaction_hash = y.chain_transaction_hash)`

/** The log that allowed the recipient when the vault paid, or that does now. */
const recipient = sql`(
  select case when l.kind = 'added' then json_build_object(
    'recipientsVersion', l.recipients_version, 'allowedFrom', ${asTimestamp(sql`l.allowed_from`)},
    'transactionHash', l.transaction_hash) end
  from vault_recipient_logs l
  left join payment_receipts c on c.organization_id = p.organization_id and c.payment_id = p.id
  where l.organization_id = p.organization_id and l.vault_id = p.vault_id
    and l.address = p.recipient_address and l.kind in ('added', 'removed')
    and (c.payment_id is null
      or (l.block_number, l.log_index) < (c.block_number, c.log_index))
  order by l.block_number desc, l.log_index desc, l.kind limit 1)`

export async function findEvidence(
  tx: Tx,
  { organizationId, paymentId }: { organizationId: string; paymentId: string },
): Promise<EvidenceRow | undefined> {
  const [row] = await tx.query<EvidenceRow>(sql`
    select r.revision, r.purpose, r.requested_mode as "requestedMode",
      case when r.attachment_count > 0 then (
        select json_agg(json_build_object('name', f.name, 'mediaType', f.media_type,
          'sizeBytes', f.size_bytes, 'sha256', x.sha256) order by x.position)
        from revision_attachments x
        join attachments f on f.organization_id = x.organization_id and f.id = x.attachment_id
        where x.organization_id = r.organization_id and x.expense_id = r.expense_id
          and x.revision = r.revision) end as attachments,
      r.category, r.reference, r.due_date::text as "dueDate",
      r.version_hash as "versionHash", v.address as "vaultAddress", v.chain_id as "chainId",
      t.output as "reportOutput", o.salt, ${typedData} as "typedData", ${recipient} as recipient,
      case when y.id is not null then json_build_object(
        'executorAddress', y.executor_address, 'approverAddresses', y.approver_addresses,
        'approvedCap', y.approved_cap::text,
        'automaticCap', y.automatic_cap::text, 'lifetimeCap', y.lifetime_cap::text,
        'reserveFloor', y.reserve_floor::text, 'periodSeconds', y.period_seconds,
        'periodCap', y.period_cap::text, 'automaticPeriodCap', y.automatic_period_cap::text,
        'tiers', y.tiers, 'expiresAt', ${asTimestamp(sql`y.expires_at`)},
        'automaticEnabled', y.automatic_enabled,
        'chainTransactionHash', y.chain_transaction_hash, 'proposal', ${proposal}) end as policy
    from payments p
    join organizations o on o.id = p.organization_id
    join expense_revisions r on r.organization_id = p.organization_id
      and r.expense_id = p.expense_id and r.revision = p.expense_revision
    join vaults v on v.organization_id = p.organization_id and v.id = p.vault_id
    join reports t on t.organization_id = p.organization_id and t.id = p.report_id
    left join policies y on y.organization_id = p.organization_id and y.vault_id = p.vault_id
      and y.version = p.policy_version
    where p.organization_id = ${organizationId} and p.id = ${paymentId}`)
  return row
}
