/** SQL for what operators see of the vaults' policies. Needs the observer's login. */
import sql from 'sql-template-tag'
import type { Tx } from '#platform/database/database.ts'

export type VaultTermsRow = {
  vaultId: string
  pauseNumber: number
  policyVersion: number | null
  paused: boolean | null
  expiresAt: string | null
  periodSeconds: number | null
  periodCap: bigint | null
  automaticPeriodCap: bigint | null
  tiers: { above: string; approvals: number }[] | null
  recipientCount: number
  pendingRecipientCount: number
  blockedRecipientCount: number
  proposalId: string | null
  proposedAt: string | null
  activatesAt: string | null
  proposalExpiresAt: string | null
  isPrepared: boolean | null
}

/** Newest vaults first, like the list of vaults beside it. Later pauses count, as in the vault. */
export async function listOrganizationVaultTerms(
  tx: Tx,
  { organizationId, limit, now }: { organizationId: string; limit: number; now: string },
): Promise<VaultTermsRow[]> {
  return tx.query<VaultTermsRow>(sql`
    select v.id as "vaultId", v.pause_number as "pauseNumber",
      p.version as "policyVersion", coalesce(s.paused, p.paused) as paused,
      p.expires_at as "expiresAt",
      p.period_seconds as "periodSeconds", p.period_cap as "periodCap",
      p.automatic_period_cap as "automaticPeriodCap", p.tiers,
      r.listed as "recipientCount", r.pending as "pendingRecipientCount",
      r.blocked as "blockedRecipientCount", w.proposal_id as "proposalId",
      w.proposed_at as "proposedAt", w.activates_at as "activatesAt",
      w.expires_at as "proposalExpiresAt", w.is_prepared as "isPrepared"
    from (
      select organization_id, id, policy_version, pause_number from vaults
      where organization_id = ${organizationId} order by id desc limit ${limit}
    ) v
    left join policies p on p.organization_id = v.organization_id and p.vault_id = v.id
      and p.version = v.policy_version
    left join lateral (
      select s.paused from vault_pauses s where s.organization_id = p.organization_id
        and s.vault_id = p.vault_id and s.policy_version = p.version
      order by s.block_number desc, s.log_index desc limit 1
    ) s on true
    left join vault_proposals w on w.organization_id = v.organization_id and w.vault_id = v.id
      and w.state = 'waiting'
    cross join lateral (
      select count(*) filter (where l.allowed_from is not null)::integer as listed,
        count(*) filter (where l.allowed_from > ${now})::integer as pending,
        count(*) filter (where l.blocked)::integer as blocked
      from vault_recipients l
      where l.organization_id = v.organization_id and l.vault_id = v.id
    ) r
    order by v.id desc`)
}
