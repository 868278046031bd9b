/** SQL for policies, as the vault logs report them, version by version. */
import type { PeriodInForce } from '@countersign/proof/spending-period.ts'
import sql from 'sql-template-tag'
import type { Reader, Tx } from '#platform/database/database.ts'
import type { PolicyTerms } from './policy.ts'
import { fromStoredTiers, type StoredTier, toStoredTiers } from './policy-limits.ts'

/** Its approvers are those that still count, and it is paused while its newest pause lasts. */
export type PolicyRow = PolicyTerms & {
  id: string
  organizationId: string
  vaultId: string
  version: number
  chainTransactionHash: string
}

const columns = sql`
  id, organization_id as "organizationId", vault_id as "vaultId", version,
  executor_address as "executorAddress",
  standing_approvers(approver_addresses, revoked_approvers) as "approverAddresses",
  approved_cap as "approvedCap", automatic_cap as "automaticCap", lifetime_cap as "lifetimeCap",
  reserve_floor as "reserveFloor", period_seconds as "periodSeconds", period_cap as "periodCap",
  automatic_period_cap as "automaticPeriodCap", tiers, expires_at as "expiresAt",
  automatic_enabled as "automaticEnabled", coalesce((
    select s.paused from vault_pauses s where s.organization_id = policies.organization_id
      and s.vault_id = policies.vault_id and s.policy_version = policies.version
    order by s.block_number desc, s.log_index desc limit 1), paused) as paused,
  chain_transaction_hash as "chainTransactionHash"`

type StoredPolicy = Omit<PolicyRow, 'tiers'> & { tiers: StoredTier[] }
type VaultKey = { organizationId: string; vaultId: string }
type PolicyKey = VaultKey & { version: number }

const withTiers = (row: StoredPolicy | undefined): PolicyRow | undefined =>
  row && { ...row, tiers: fromStoredTiers(row.tiers) }

export function insertPolicy(
  tx: Tx,
  policy: PolicyRow & { blockNumber: number; timeSeconds: number; at: Date },
): void {
  tx.write(sql`
    insert into policies (id, organization_id, vault_id, version, executor_address,
      approver_addresses, approved_cap, automatic_cap, lifetime_cap, reserve_floor,
      period_seconds, period_cap, automatic_period_cap, tiers, expires_at, automatic_enabled,
      paused, chain_transaction_hash, block_number, block_time, created_at)
    values (${policy.id}, ${policy.organizationId}, ${policy.vaultId}, ${policy.version},
      ${policy.executorAddress}, ${policy.approverAddresses}, ${policy.approvedCap},
      ${policy.automaticCap}, ${policy.lifetimeCap}, ${policy.reserveFloor},
      ${policy.periodSeconds}, ${policy.periodCap}, ${policy.automaticPeriodCap},
      ${JSON.stringify(toStoredTiers(policy.tiers))}, ${policy.expiresAt},
      ${policy.automaticEnabled}, ${policy.paused}, ${policy.chainTransactionHash},
      ${policy.blockNumber}, to_timestamp(${policy.timeSeconds}), ${policy.at})`)
}

export async function findPolicy(tx: Reader, key: PolicyKey): Promise<PolicyRow | undefined> {
  const [row] = await tx.query<StoredPolicy>(sql`
    select ${columns} from policies
    where organization_id = ${key.organizationId} and vault_id = ${key.vaultId}
      and version = ${key.version}`)
  return withTiers(row)
}

export async function findPolicyByTransaction(
  tx: Reader,
  { organizationId, transactionHash }: { organizationId: string; transactionHash: string },
): Promise<PolicyRow | undefined> {
  const [row] = await tx.query<StoredPolicy>(sql`
    select ${columns} from policies where organization_id = ${organizationId}
      and chain_transaction_hash = ${transactionHash} order by version desc limit 1`)
  return withTiers(row)
}

/** Every policy that the vault has had, in chain order. */
export const listPeriods = (tx: Tx, key: VaultKey): Promise<PeriodInForce[]> =>
  tx.query<PeriodInForce>(sql`
    select period_seconds as "periodSeconds",
      extract(epoch from block_time)::bigint as "inForceFrom"
    from policies
    where organization_id = ${key.organizationId} and vault_id = ${key.vaultId}
    order by version`)

/** Takes the approver out of the policy, as of that block. */
export function markApproverRevoked(
  tx: Tx,
  revoked: PolicyKey & { address: string; blockNumber: number },
): void {
  const { address, blockNumber: block } = revoked
  tx.write(sql`
    update policies
    set revoked_approvers = revoked_approvers || ${JSON.stringify([{ address, block }])}::jsonb
    where organization_id = ${revoked.organizationId} and vault_id = ${revoked.vaultId}
      and version = ${revoked.version}`)
}

export type PauseLog = PolicyKey & {
  paused: boolean
  /** Null counts one more: a policy that is configured as paused logs no number. */
  pauseNumber: number | null
  by: string | null
  blockNumber: number
  logIndex: number
  transactionHash: string
}

export function insertPause(tx: Tx, log: PauseLog): void {
  tx.write(sql`
    with numbered as (
      update vaults set
        pause_number = greatest(pause_number, coalesce(${log.pauseNumber}, pause_number + 1))
      where organization_id = ${log.organizationId} and id = ${log.vaultId}
      returning pause_number)
    insert into vault_pauses (organization_id, vault_id, policy_version, block_number, log_index,
      pause_number, paused, by_address, transaction_hash)
    select ${log.organizationId}, ${log.vaultId}, ${log.version}, ${log.blockNumber},
      ${log.logIndex}, coalesce(${log.pauseNumber}, n.pause_number), ${log.paused}, ${log.by},
      ${log.transactionHash}
    from numbered n`)
}

/** Policies, pauses and revocations. */
export function deletePoliciesAbove(tx: Tx, where: VaultKey & { blockNumber: number }): void {
  const { organizationId, vaultId, blockNumber } = where
  const ofVault = sql`organization_id = ${organizationId} and vault_id = ${vaultId}`
  tx.write(sql`delete from policies where ${ofVault} and block_number > ${blockNumber}`)
  tx.write(sql`delete from vault_pauses where ${ofVault} and block_number > ${blockNumber}`)
  tx.write(sql`
    update policies set revoked_approvers = (
      select coalesce(jsonb_agg(r), '[]') from jsonb_array_elements(revoked_approvers) r
      where (r ->> 'block')::bigint <= ${blockNumber})
    where ${ofVault} and revoked_approvers <> '[]'`)
}
