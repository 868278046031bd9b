/** SQL for policies, as the vault logs report them, version by version. */
import sql from 'sql-template-tag'
import type { Tx } from '#platform/database/database.ts'
import type { PolicyTerms } from './policy.ts'

export type PolicyRow = PolicyTerms & {
  id: string
  organizationId: string
  vaultId: string
  version: number
  chainTransactionHash: string
}

const columns = sql`
  id, organization_id as "organizationId", vault_id as "vaultId", version,
  executor_address as "executorAddress", approver_addresses as "approverAddresses",
  recipient_addresses as "recipientAddresses", approved_cap as "approvedCap",
  automatic_cap as "automaticCap", lifetime_cap as "lifetimeCap",
  reserve_floor as "reserveFloor", expires_at as "expiresAt",
  automatic_enabled as "automaticEnabled",
  paused or paused_in_block is not null as paused,
  chain_transaction_hash as "chainTransactionHash"`

type PolicyKey = { organizationId: string; vaultId: string; version: number }

export async function insertPolicy(
  tx: Tx,
  policy: PolicyRow & { blockNumber: number; at: Date },
): Promise<void> {
  await tx.query(sql`
    insert into policies (id, organization_id, vault_id, version, executor_address,
      approver_addresses, recipient_addresses, approved_cap, automatic_cap, lifetime_cap,
      reserve_floor, expires_at, automatic_enabled, paused, chain_transaction_hash, block_number,
      created_at)
    values (${policy.id}, ${policy.organizationId}, ${policy.vaultId}, ${policy.version},
      ${policy.executorAddress}, ${policy.approverAddresses}, ${policy.recipientAddresses},
      ${policy.approvedCap}, ${policy.automaticCap}, ${policy.lifetimeCap},
      ${policy.reserveFloor}, ${policy.expiresAt}, ${policy.automaticEnabled}, ${policy.paused},
      ${policy.chainTransactionHash}, ${policy.blockNumber}, ${policy.at})`)
}

export async function findPolicy(tx: Tx, key: PolicyKey): Promise<PolicyRow | undefined> {
  const [row] = await tx.query<PolicyRow>(sql`
    select ${columns} from policies
    where organization_id = ${key.organizationId} and vault_id = ${key.vaultId}
      and version = ${key.version}`)
  return row
}

export async function findPolicyByTransaction(
  tx: Tx,
  { organizationId, transactionHash }: { organizationId: string; transactionHash: string },
): Promise<PolicyRow | undefined> {
  const [row] = await tx.query<PolicyRow>(sql`
    select ${columns} from policies where organization_id = ${organizationId}
      and chain_transaction_hash = ${transactionHash} order by version desc limit 1`)
  return row
}

export async function markPolicyPaused(
  tx: Tx,
  { organizationId, vaultId, version, blockNumber }: PolicyKey & { blockNumber: number },
): Promise<void> {
  await tx.query(sql`
    update policies set paused_in_block = coalesce(paused_in_block, ${blockNumber}::bigint)
    where organization_id = ${organizationId} and vault_id = ${vaultId}
      and version = ${version}`)
}

export async function deletePoliciesAbove(
  tx: Tx,
  where: { organizationId: string; vaultId: string; blockNumber: number },
): Promise<void> {
  const { organizationId, vaultId, blockNumber } = where
  await tx.query(sql`
    delete from policies where organization_id = ${organizationId} and vault_id = ${vaultId}
      and block_number > ${blockNumber}`)
  await tx.query(sql`
    update policies set paused_in_block = null where organization_id = ${organizationId}
      and vault_id = ${vaultId} and paused_in_block > ${blockNumber}`)
}
