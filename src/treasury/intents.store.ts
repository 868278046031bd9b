/** SQL for the two kinds of chain intent: vault deployments and policies. */
import sql from 'sql-template-tag'
import type { Reader, Tx } from '#platform/database/database.ts'
import type { Page } from '#platform/paging.ts'
import type { PreparedTransaction } from '#ports/chain.ts'
import type { IntentState } from './chain-intent.machine.ts'
import type { PolicyTerms } from './policy.ts'
import type { PolicyChanges } from './policy-changes.ts'
import { fromStoredTiers, type StoredTier, toStoredTiers } from './policy-limits.ts'

export type IntentKind = 'vault_deployment' | 'policy'

type IntentProgress = {
  id: string
  organizationId: string
  transaction: PreparedTransaction
  state: IntentState
  transactionHash: string | null
  submittedAt: string | null
  failureCode: string | null
  createdByAccountId: string
  createdAt: string
  updatedAt: string
}

export type DeploymentIntent = IntentProgress & {
  label: string
  chainId: number
  tokenAddress: string
  ownerAddress: string
  organizationHash: string
  artifactHash: string
  constructorDataHash: string
  changeDelaySeconds: number
  vaultId: string | null
}

/** Which call the transaction is: `configurePolicy`, `changeRecipients`, or both in one. */
export type PolicyIntentKind = 'policy' | 'recipients' | 'policy_and_recipients'

export type PolicyIntent = IntentProgress &
  PolicyTerms & {
    vaultId: string
    kind: PolicyIntentKind
    expectedVersion: number
    expectedRecipientsVersion: number
    /** The vault's whole list after the transaction. */
    recipientAddresses: string[]
    /** What the transaction changes in it. */
    recipientsAdded: string[]
    recipientsRemoved: string[]
    remainingRecipientChanges: number
    changes: PolicyChanges
    policyVersion: number | null
    /** The policy that waits, once its log is final. */
    proposalRowId: string | null
    proposalId: string | null
    activatesAt: string | null
  }

const progress = sql`
  id, organization_id as "organizationId", transaction, state,
  transaction_hash as "transactionHash", submitted_at as "submittedAt",
  failure_code as "failureCode", created_by_account_id as "createdByAccountId",
  created_at as "createdAt", updated_at as "updatedAt"`

const deploymentColumns = sql`
  ${progress}, label, chain_id as "chainId", token_address as "tokenAddress",
  owner_address as "ownerAddress", organization_hash as "organizationHash",
  artifact_hash as "artifactHash", constructor_data_hash as "constructorDataHash",
  change_delay_seconds as "changeDelaySeconds", vault_id as "vaultId"`

const policyColumns = sql`
  ${progress}, vault_id as "vaultId", kind, expected_version as "expectedVersion",
  expected_recipients_version as "expectedRecipientsVersion",
  executor_address as "executorAddress", approver_addresses as "approverAddresses",
  recipient_addresses as "recipientAddresses", recipients_added as "recipientsAdded",
  recipients_removed as "recipientsRemoved",
  remaining_recipient_changes as "remainingRecipientChanges", approved_cap as "approvedCap",
  automatic_cap as "automaticCap", lifetime_cap as "lifetimeCap",
  reserve_floor as "reserveFloor", period_seconds as "periodSeconds", period_cap as "periodCap",
  automatic_period_cap as "automaticPeriodCap", tiers, expires_at as "expiresAt",
  automatic_enabled as "automaticEnabled", paused, changes, policy_version as "policyVersion",
  proposal_row_id as "proposalRowId", (
    select w.proposal_id from vault_proposals w
    where w.organization_id = policy_intents.organization_id
      and w.id = policy_intents.proposal_row_id) as "proposalId", (
    select w.activates_at from vault_proposals w
    where w.organization_id = policy_intents.organization_id
      and w.id = policy_intents.proposal_row_id) as "activatesAt"`

type Stored<Intent extends PolicyIntent = PolicyIntent> = Omit<Intent, 'tiers'> & {
  tiers: StoredTier[]
}

const withTiers = <Row extends { tiers: StoredTier[] }>(row: Row) => ({
  ...row,
  tiers: fromStoredTiers(row.tiers),
})

type OfProposal = Pick<PolicyIntent, 'proposalRowId' | 'proposalId' | 'activatesAt'>
type NewIntent = 'state' | 'transactionHash' | 'submittedAt' | 'failureCode' | 'updatedAt'

export async function insertDeployment(
  tx: Tx,
  row: Omit<DeploymentIntent, NewIntent | 'vaultId'>,
): Promise<DeploymentIntent> {
  const [intent] = await tx.query<DeploymentIntent>(sql`
    insert into vault_deployments (id, organization_id, label, chain_id, token_address,
      owner_address, organization_hash, artifact_hash, constructor_data_hash,
      change_delay_seconds, transaction, state, created_by_account_id, created_at, updated_at)
    values (${row.id}, ${row.organizationId}, ${row.label}, ${row.chainId}, ${row.tokenAddress},
      ${row.ownerAddress}, ${row.organizationHash}, ${row.artifactHash},
      ${row.constructorDataHash}, ${row.changeDelaySeconds}, ${JSON.stringify(row.transaction)},
      'prepared', ${row.createdByAccountId}, ${row.createdAt}, ${row.createdAt})
    returning ${deploymentColumns}`)
  return inserted(intent)
}

const inserted = <T>(row: T | undefined): T => {
  if (!row) throw new Error('The intent was not inserted')
  return row
}

export async function insertPolicyIntent(
  tx: Tx,
  row: Omit<PolicyIntent, NewIntent | 'policyVersion' | keyof OfProposal>,
): Promise<PolicyIntent> {
  const [intent] = await tx.query<Stored>(sql`
    insert into policy_intents (id, organization_id, vault_id, kind, expected_version,
      expected_recipients_version, executor_address, approver_addresses, recipient_addresses,
      recipients_added, recipients_removed, remaining_recipient_changes, approved_cap,
      automatic_cap, lifetime_cap, reserve_floor, period_seconds, period_cap,
      automatic_period_cap, tiers, expires_at, automatic_enabled, paused, changes, transaction,
      state, created_by_account_id, created_at, updated_at)
    values (${row.id}, ${row.organizationId}, ${row.vaultId}, ${row.kind}, ${row.expectedVersion},
      ${row.expectedRecipientsVersion}, ${row.executorAddress}, ${row.approverAddresses},
      ${row.recipientAddresses}, ${row.recipientsAdded}, ${row.recipientsRemoved},
      ${row.remainingRecipientChanges}, ${row.approvedCap}, ${row.automaticCap},
      ${row.lifetimeCap}, ${row.reserveFloor}, ${row.periodSeconds}, ${row.periodCap},
      ${row.automaticPeriodCap}, ${JSON.stringify(toStoredTiers(row.tiers))}, ${row.expiresAt},
      ${row.automaticEnabled}, ${row.paused}, ${JSON.stringify(row.changes)},
      ${JSON.stringify(row.transaction)}, 'prepared', ${row.createdByAccountId},
      ${row.createdAt}, ${row.createdAt})
    returning ${policyColumns}`)
  return withTiers(inserted(intent))
}

type IntentKey = { organizationId: string; intentId: string }

export async function findDeployment(
  tx: Reader,
  { organizationId, intentId }: IntentKey,
): Promise<DeploymentIntent | undefined> {
  const [row] = await tx.query<DeploymentIntent>(sql`
    select ${deploymentColumns} from vault_deployments
    where organization_id = ${organizationId} and id = ${intentId}`)
  return row
}

export async function findPolicyIntent(
  tx: Reader,
  { organizationId, intentId }: IntentKey,
): Promise<PolicyIntent | undefined> {
  const [row] = await tx.query<Stored>(sql`
    select ${policyColumns} from policy_intents
    where organization_id = ${organizationId} and id = ${intentId}`)
  return row && withTiers(row)
}

/** With the name of the member who prepared it, as the organization knows it. */
export type WithDisplayName<Intent> = Intent & { displayName: string | null }

const withName = sql`
  (select p.display_name from profiles p where p.account_id = created_by_account_id)
    as "displayName"`

/** Newest first. */
export const listDeployments = (
  tx: Reader,
  { organizationId, page }: { organizationId: string; page: Page },
): Promise<WithDisplayName<DeploymentIntent>[]> =>
  tx.query<WithDisplayName<DeploymentIntent>>(sql`
    select ${deploymentColumns}, ${withName} from vault_deployments
    where organization_id = ${organizationId} and id < ${page.beforeId}
    order by id desc limit ${page.limit + 1}`)

/** Newest first. */
export async function listPolicyIntents(
  tx: Reader,
  { organizationId, vaultId, page }: { organizationId: string; vaultId: string; page: Page },
): Promise<WithDisplayName<PolicyIntent>[]> {
  const rows = await tx.query<Stored<WithDisplayName<PolicyIntent>>>(sql`
    select ${policyColumns}, ${withName} from policy_intents
    where organization_id = ${organizationId} and vault_id = ${vaultId}
      and id < ${page.beforeId}
    order by id desc limit ${page.limit + 1}`)
  return rows.map(withTiers)
}

const tables = {
  vault_deployment: { table: sql`vault_deployments`, outcome: sql`vault_id` },
  policy: { table: sql`policy_intents`, outcome: sql`policy_version` },
}

export type IntentHead = Pick<
  IntentProgress,
  'id' | 'organizationId' | 'state' | 'transactionHash' | 'submittedAt' | 'failureCode'
>

export async function lockIntent(
  tx: Tx,
  kind: IntentKind,
  { organizationId, intentId }: IntentKey,
): Promise<IntentHead | undefined> {
  const [row] = await tx.query<IntentHead>(sql`
    select id, organization_id as "organizationId", state,
      transaction_hash as "transactionHash", submitted_at as "submittedAt",
      failure_code as "failureCode"
    from ${tables[kind].table}
    where organization_id = ${organizationId} and id = ${intentId} for update`)
  return row
}

export type IntentMove = {
  intent: IntentHead
  to: IntentState
  transactionHash: string | null
  submittedAt: string | Date | null
  failureCode: string | null
  /** The deployed vault's id, or the configured policy's version. */
  outcome: string | number | null
  at: Date
}

export function updateIntentState(tx: Tx, kind: IntentKind, move: IntentMove): void {
  const { table, outcome } = tables[kind]
  tx.write(sql`
    update ${table} set state = ${move.to}, transaction_hash = ${move.transactionHash},
      submitted_at = ${move.submittedAt}, failure_code = ${move.failureCode},
      ${outcome} = ${move.outcome}, updated_at = ${move.at}
    where organization_id = ${move.intent.organizationId} and id = ${move.intent.id}
      and state = ${move.intent.state}`)
}

export async function findUnsettledIntents(
  tx: Tx,
  { organizationId, vaultId }: { organizationId: string; vaultId: string },
): Promise<number> {
  const [row] = await tx.query<{ count: number }>(sql`
    select count(*) as count from policy_intents
    where organization_id = ${organizationId} and vault_id = ${vaultId}
      and state in ('submitted', 'reconciling')`)
  return row?.count ?? 0
}

/**
 * Whether the service prepared a policy that appeared on chain. Compares contents, because the
 * policy may be mined before the caller submits its transaction hash.
 */
export async function findPreparedPolicy(
  tx: Tx,
  policy: PolicyTerms & { organizationId: string; vaultId: string; version: number },
): Promise<string | undefined> {
  const [row] = await tx.query<{ id: string }>(sql`
    select id from policy_intents
    where organization_id = ${policy.organizationId} and vault_id = ${policy.vaultId}
      and kind <> 'recipients' and expected_version = ${policy.version - 1}
      and executor_address = ${policy.executorAddress}
      and approver_addresses = ${policy.approverAddresses}::text[]
      and approved_cap = ${policy.approvedCap} and automatic_cap = ${policy.automaticCap}
      and lifetime_cap = ${policy.lifetimeCap} and reserve_floor = ${policy.reserveFloor}
      and period_seconds = ${policy.periodSeconds} and period_cap = ${policy.periodCap}
      and automatic_period_cap = ${policy.automaticPeriodCap}
      and tiers = ${JSON.stringify(toStoredTiers(policy.tiers))}::jsonb
      and expires_at = ${policy.expiresAt} and automatic_enabled = ${policy.automaticEnabled}
      and paused = ${policy.paused}
    limit 1`)
  return row?.id
}

/** Likewise for a change of the vault's recipients. */
export async function findPreparedRecipients(
  tx: Tx,
  change: {
    organizationId: string
    vaultId: string
    recipientsVersion: number
    added: readonly string[]
    removed: readonly string[]
  },
): Promise<string | undefined> {
  const [row] = await tx.query<{ id: string }>(sql`
    select id from policy_intents
    where organization_id = ${change.organizationId} and vault_id = ${change.vaultId}
      and kind <> 'policy' and expected_recipients_version = ${change.recipientsVersion - 1}
      and recipients_added = ${[...change.added]}::text[]
      and recipients_removed = ${[...change.removed]}::text[]
    limit 1`)
  return row?.id
}

type ProposalLink = { organizationId: string; proposalRowId: string }

/** Only `moveIntent` calls this. */
export function linkProposal(
  tx: Tx,
  { organizationId, intentId, proposalRowId }: ProposalLink & { intentId: string },
): void {
  tx.write(sql`
    update policy_intents set proposal_row_id = ${proposalRowId}
    where organization_id = ${organizationId} and id = ${intentId}`)
}

export async function listIntentsOfProposal(
  tx: Tx,
  { organizationId, proposalRowId }: ProposalLink,
): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(sql`
    select id from policy_intents
    where organization_id = ${organizationId} and proposal_row_id = ${proposalRowId}`)
  return rows.map(({ id }) => id)
}

/** A reorganisation removed these proposals. Returns the intents, which are polled again. */
export async function unlinkProposalsAbove(
  tx: Tx,
  above: { organizationId: string; vaultId: string; blockNumber: number },
): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(sql`
    update policy_intents i set proposal_row_id = null
    from vault_proposals w
    where i.organization_id = ${above.organizationId} and i.vault_id = ${above.vaultId}
      and w.organization_id = i.organization_id and w.id = i.proposal_row_id
      and w.block_number > ${above.blockNumber}
    returning i.id`)
  return rows.map(({ id }) => id)
}
