/** SQL of the rows behind an evidence bundle. */
import type { EvidenceAttachment, EvidencePolicy } from '@countersign/proof/evidence.ts'
import type { TypedData } from '@countersign/proof/typed-data.ts'
import sql from 'sql-template-tag'
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
  typedData: TypedData | null
}

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
      t.output as "reportOutput", o.salt, a.typed_data as "typedData",
      case when y.id is not null then json_build_object(
        'executorAddress', y.executor_address, 'approverAddresses', y.approver_addresses,
        'recipientAddresses', y.recipient_addresses, 'approvedCap', y.approved_cap::text,
        'automaticCap', y.automatic_cap::text, 'lifetimeCap', y.lifetime_cap::text,
        'reserveFloor', y.reserve_floor::text,
        'expiresAt', to_char(y.expires_at, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
        'automaticEnabled', y.automatic_enabled,
        'chainTransactionHash', y.chain_transaction_hash) end as policy
    from payments p
    join organizations o on o.id = p.organization_id
    join expense_revisions r on r.organization_id = p.organization_id
      and r.expense_id = p.expense_id and r.revision = p.expense_revision
    join vaults v on v.organization_id = p.organization_id and v.id = p.vault_id
    join reports t on t.organization_id = p.organization_id and t.id = p.report_id
    left join approvals a on a.organization_id = p.organization_id and a.id = p.approval_id
    left join policies y on y.organization_id = p.organization_id and y.vault_id = p.vault_id
      and y.version = p.policy_version
    where p.organization_id = ${organizationId} and p.id = ${paymentId}`)
  return row
}
